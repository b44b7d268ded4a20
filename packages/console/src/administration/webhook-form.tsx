import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { EVENT_TYPES } from '@granary/contract/events';
import type { WebhookRecord } from '@granary/contract/webhooks';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../context/console.ts';
import { FormDialog } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { Choices, TextInput } from '../kit/inputs.tsx';
import { SecretDialog } from '../kit/secret-dialog.tsx';
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
  const secret = useSignal<string | null>(null);

  async function save(): Promise<void> {
    const wanted = webhookOf(current.peek());
    if (webhook === null) secret.value = (await client.webhooks.create(wanted, callOptions(console))).secret;
    else await client.webhooks.update(webhook.webhook_id, wanted, callOptions(console));
  }

  if (secret.value !== null) {
    return (
      <SecretDialog title={webhooks.created} secrets={[[webhooks.secret, secret.value]]} onClose={onClose} />
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
