import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import { Refusal } from '@granary/contract/errors';
import type { StoredDelivery } from '@granary/store/tables/webhooks/deliveries';

/** Longer than one attempt takes. */
const WAIT_MS_MAX = 18_000;
const PAUSE_MS = 50;

/** Waits until the message was delivered or given up; it may be sent by another node. A slow one is answered as it is. */
export async function finishedDelivery(
  app: { readonly webhooks: Pick<App['webhooks'], 'delivery'> },
  { webhookNo, messageId }: { readonly webhookNo: number; readonly messageId: string },
): Promise<StoredDelivery> {
  const untilMs = performance.now() + WAIT_MS_MAX;
  for (;;) {
    const delivery = await app.webhooks.delivery(webhookNo, messageId);
    if (delivery === undefined) throw new Refusal('webhook_not_found', 'the webhook was removed');
    if (delivery.status !== 'pending' || performance.now() >= untilMs) return delivery;
    await sleep(PAUSE_MS);
  }
}
