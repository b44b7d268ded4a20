import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { EVENT_TYPES } from '@granary/contract/events';
import type { NewWebhook, WebhookRecord } from '@granary/contract/webhooks';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { Choices, TextInput } from '../../parts/forms/inputs.tsx';
import { useDraft } from '../../parts/forms/use-draft.ts';
import { texts } from '../../texts/texts.ts';
import { PlaceChoices } from '../place-choices.tsx';
import { SecretDialog } from '../secret-dialog.tsx';

export const EMPTY_WEBHOOK: WebhookDraft = {
  url: '',
  description: '',
  eventTypes: [],
  severities: [],
  facilities: [],
  deviceIds: [],
};

interface Props {
  /** `null` for a new one. */
  readonly webhook: WebhookRecord | null;
  readonly onClose: () => void;
}

export function WebhookForm({ webhook, onClose }: Props) {
  const console = useConsole();
  const { client } = console;
  const { webhooks, common, keys } = texts.value;
  const { current, field } = useDraft(webhook === null ? EMPTY_WEBHOOK : draftOfWebhook(webhook));
  const secret = useSignal<string | null>(null);

  async function save(): Promise<void> {
    const wanted = webhookOf(current.peek());
    if (webhook === null) secret.value = (await client.webhooks.create(wanted, callOptions(console))).secret;
    else await client.webhooks.update(webhook.webhook_id, wanted, callOptions(console));
  }

  if (secret.value !== null) {
    return (
      <SecretDialog
        title={webhooks.created}
        label={webhooks.secret}
        secret={secret.value}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={webhook === null ? webhooks.create : webhooks.edit}
      submit={webhook === null ? webhooks.create : common.save}
      staysOpen={webhook === null}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label={webhooks.url}
        hint={webhooks.urlHint}
        type="url"
        maxLength={2_000}
        isRequired
        {...field('url')}
      />
      <TextInput label={webhooks.description} {...field('description')} />
      <Choices
        legend={webhooks.events}
        hint={keys.limitHint}
        options={EVENT_TYPES.map((type) => [type, type])}
        {...field('eventTypes')}
      />
      <Choices
        legend={webhooks.severities}
        hint={keys.limitHint}
        options={ALERT_SEVERITIES.map((severity) => [severity, common.severities[severity]])}
        {...field('severities')}
      />
      <PlaceChoices facilities={field('facilities')} deviceIds={field('deviceIds')} />
    </FormDialog>
  );
}

/** What the form of a webhook holds; nothing chosen means everything. */
interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  readonly severities: readonly string[];
  readonly facilities: readonly string[];
  readonly deviceIds: readonly string[];
}

const draftOfWebhook = (webhook: WebhookRecord): WebhookDraft => ({
  url: webhook.url,
  description: webhook.description ?? '',
  eventTypes: webhook.event_types ?? [],
  severities: webhook.severities ?? [],
  facilities: webhook.facilities ?? [],
  deviceIds: webhook.device_ids ?? [],
});

/** Every filter is named, so that one that was taken away is removed. */
export const webhookOf = (draft: WebhookDraft): Required<Omit<NewWebhook, 'enabled'>> => ({
  url: draft.url.trim(),
  description: draft.description.trim() === '' ? null : draft.description.trim(),
  event_types: orEverything(EVENT_TYPES.filter((type) => draft.eventTypes.includes(type))),
  severities: orEverything(ALERT_SEVERITIES.filter((severity) => draft.severities.includes(severity))),
  facilities: orEverything(draft.facilities),
  device_ids: orEverything(draft.deviceIds),
});

const orEverything = <Item,>(chosen: readonly Item[]): Item[] | null =>
  chosen.length === 0 ? null : [...chosen];
