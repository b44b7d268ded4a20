import type { WebhookDelivery, WebhookRecord } from '@granary/contract/webhooks';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { Time } from '../../parts/age.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { useAction } from '../../parts/forms/use-action.ts';
import { PageList } from '../../parts/lists/page-list.tsx';
import { useEventReload } from '../../parts/lists/use-event-reload.ts';
import { usePages } from '../../parts/lists/use-pages.ts';
import { texts } from '../../texts/texts.ts';
import { RotationDialog } from '../rotation-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';

const USUAL_OVERLAP_H = 24;

interface Props {
  readonly webhook: WebhookRecord;
  readonly onClose: () => void;
}

/** What was sent to one webhook, and everything that can be done with it. */
export function WebhookPanel({ webhook, onClose }: Props) {
  const console = useConsole();
  const { client } = console;
  const { webhooks, forms } = texts.value;
  const { webhook_id: id, enabled } = webhook;
  const { run, isRunning, failure } = useAction();
  const tested = useSignal<WebhookDelivery | null>(null);
  const deliveries = usePages((page, signal) => client.webhooks.deliveries(id, page, { signal }), [id]);
  useEventReload(['webhook.'], deliveries.reload);

  const test = async (): Promise<void> => {
    tested.value = await client.webhooks.test(id, callOptions(console));
    deliveries.reload();
  };
  const enable = async (): Promise<void> => {
    if (enabled) await client.webhooks.update(id, { enabled: false }, callOptions(console));
    else await client.webhooks.enable(id, {}, callOptions(console));
  };
  return (
    <Dialog title={webhook.url} onClose={onClose}>
      {webhook.disabled_reason !== null && (
        <p class="refusal">{webhooks.disabledBecause(webhook.disabled_reason)}</p>
      )}
      <div class="administration-actions">
        <Button isBusy={isRunning} isDisabled={!enabled} onPress={() => void run(test)}>
          {webhooks.test}
        </Button>
        <DialogButton text={webhooks.edit}>
          {(close) => <WebhookForm webhook={webhook} onClose={close} />}
        </DialogButton>
        <Button isBusy={isRunning} onPress={() => void run(enable)}>
          {enabled ? webhooks.disable : webhooks.enable}
        </Button>
        <DialogButton text={webhooks.replay}>
          {(close) => <ReplayDead webhookId={id} onReplayed={deliveries.reload} onClose={close} />}
        </DialogButton>
        <DialogButton text={webhooks.rotate}>
          {(close) => <RotateSecret webhookId={id} onClose={close} />}
        </DialogButton>
        <DialogButton text={forms.remove}>
          {(close) => <RemoveWebhook webhook={webhook} onRemoved={onClose} onClose={close} />}
        </DialogButton>
      </div>
      <Failure of={failure} />
      {tested.value !== null && (
        <p role="status">{webhooks.tested(tested.value.last_status, tested.value.last_error)}</p>
      )}
      <section aria-label={webhooks.deliveries}>
        <h3>{webhooks.deliveries}</h3>
        <PageList pages={deliveries} empty={webhooks.noDeliveries}>
          {(items) => (
            <ul class="webhook-deliveries">
              {items.map((delivery) => (
                <Delivery key={delivery.message_id} delivery={delivery} />
              ))}
            </ul>
          )}
        </PageList>
      </section>
    </Dialog>
  );
}

function Delivery({
  delivery: { type, status, attempts, created_at, last_error },
}: {
  readonly delivery: WebhookDelivery;
}) {
  const { webhooks } = texts.value;
  const word = webhooks.deliveryStatuses[status];
  return (
    <li>
      <span>
        {type} · {status === 'dead' ? <strong>{word}</strong> : word}
        {attempts > 1 && ` · ${webhooks.attempts(attempts)}`}
      </span>
      <Time at={created_at} />
      {last_error !== null && status !== 'delivered' && <span class="reason">{last_error}</span>}
    </li>
  );
}

interface ReplayProps {
  readonly webhookId: string;
  readonly onReplayed: () => void;
  readonly onClose: () => void;
}

/** Sends again what was given up. */
function ReplayDead({ webhookId, onReplayed, onClose }: ReplayProps) {
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

interface RotateProps {
  readonly webhookId: string;
  readonly onClose: () => void;
}

function RotateSecret({ webhookId, onClose }: RotateProps) {
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

function RemoveWebhook({ webhook, onRemoved, onClose }: RemoveProps) {
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
