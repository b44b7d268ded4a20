import type { WebhookRecord } from '@granary/contract/webhooks';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { bound, TextInput } from '../../parts/forms/inputs.tsx';
import { texts } from '../../texts/texts.ts';
import { SecretDialog } from '../secret-dialog.tsx';

interface ReplayProps {
  readonly webhookId: string;
  readonly onReplayed: () => void;
  readonly onClose: () => void;
}

/** Sends again what was given up. */
export function ReplayDead({ webhookId, onReplayed, onClose }: ReplayProps) {
  const console = useConsole();
  const { webhooks } = texts.value;
  return (
    <FormDialog
      title={webhooks.replay}
      submit={webhooks.replay}
      onSubmit={async () => {
        await console.client.webhooks.replay(webhookId, { dead: true }, callOptions(console));
        onReplayed();
      }}
      onClose={onClose}
    >
      <p>{webhooks.replayMeans}</p>
    </FormDialog>
  );
}

const USUAL_OVERLAP_H = 24;
const OVERLAP_H_MAX = 30 * 24;

export function RotateSecret({
  webhookId,
  onClose,
}: {
  readonly webhookId: string;
  readonly onClose: () => void;
}) {
  const console = useConsole();
  const { webhooks } = texts.value;
  const hours = useSignal(String(USUAL_OVERLAP_H));
  const secret = useSignal<string | null>(null);
  if (secret.value !== null) {
    return (
      <SecretDialog title={webhooks.rotate} label={webhooks.secret} secret={secret.value} onClose={onClose} />
    );
  }
  return (
    <FormDialog
      title={webhooks.rotate}
      submit={webhooks.rotate}
      staysOpen
      onSubmit={async () => {
        const rotation = { overlap_seconds: Math.round(Number(hours.peek()) * 3_600) };
        const issued = await console.client.webhooks.rotateSecret(webhookId, rotation, callOptions(console));
        secret.value = issued.secret;
      }}
      onClose={onClose}
    >
      <p>{webhooks.rotateMeans}</p>
      <TextInput
        label={webhooks.overlap}
        type="number"
        min={0}
        max={OVERLAP_H_MAX}
        isRequired
        {...bound(hours)}
      />
    </FormDialog>
  );
}

interface RemoveProps {
  readonly webhook: WebhookRecord;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

export function RemoveWebhook({ webhook, onRemoved, onClose }: RemoveProps) {
  const console = useConsole();
  const { webhooks, forms } = texts.value;
  return (
    <FormDialog
      title={`${forms.remove}: ${webhook.url}`}
      submit={forms.remove}
      onSubmit={async () => {
        await console.client.webhooks.remove(webhook.webhook_id, callOptions(console));
        onRemoved();
      }}
      onClose={onClose}
    >
      <p>{webhooks.removeMeans}</p>
    </FormDialog>
  );
}
