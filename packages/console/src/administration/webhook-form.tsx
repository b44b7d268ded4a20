import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { EVENT_TYPES } from '@granary/contract/events';
import type { WebhookRecord } from '@granary/contract/webhooks';
import { callOptions, useConsole } from '../context/console.ts';
import { useDraft } from '../kit/form-state.ts';
import { Choices, TextInput } from '../kit/inputs.tsx';
import { SecretForm } from '../kit/secret-dialog.tsx';
import { texts } from '../texts/texts.ts';
import { PlaceChoices } from './place-choices.tsx';
import { draftOfWebhook, EMPTY_WEBHOOK, webhookOf } from './webhook-draft.ts';

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

  async function save(): Promise<[string, string][]> {
    const wanted = webhookOf(current.peek());
    if (webhook === null) {
      return [[webhooks.secret, (await client.webhooks.create(wanted, callOptions(console))).secret]];
    }
    await client.webhooks.update(webhook.webhook_id, wanted, callOptions(console));
    return [];
  }

  return (
    <SecretForm
      title={webhook === null ? webhooks.create : webhooks.edit}
      submit={webhook === null ? webhooks.create : common.save}
      issuedTitle={webhooks.created}
      issue={save}
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
    </SecretForm>
  );
}
