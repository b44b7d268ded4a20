import type { WebhookRecord } from '@granary/contract/webhooks';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { texts } from '../../texts/texts.ts';
import { RotationDialog } from '../rotation-dialog.tsx';

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

interface RotateProps {
  readonly webhookId: string;
  readonly onClose: () => void;
}

export function RotateSecret({ webhookId, onClose }: RotateProps) {
  const console = useConsole();
  const { webhooks } = texts.value;
  return (
    <RotationDialog
      texts={{
        title: webhooks.rotate,
        submit: webhooks.rotate,
        meaning: webhooks.rotateMeans,
        overlap: webhooks.overlap,
        issuedTitle: webhooks.rotate,
        secret: webhooks.secret,
      }}
      usualOverlap={USUAL_OVERLAP_H}
      unitSeconds={3_600}
      rotate={async (rotation) =>
        (await console.client.webhooks.rotateSecret(webhookId, rotation, callOptions(console))).secret
      }
      onClose={onClose}
    />
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
