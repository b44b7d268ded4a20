import { toIso, toIsoOrNull } from '@granary/contract/time';
import type { DeliveryStatus, WebhookDelivery } from '@granary/contract/webhooks';

interface Delivery {
  readonly messageId: string;
  readonly type: string;
  readonly sequence: number | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptAtMs: number;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
}

/** The record for callers. */
export const deliveryRecord = (delivery: Delivery): WebhookDelivery => ({
  message_id: delivery.messageId,
  type: delivery.type,
  event_id: delivery.sequence,
  status: delivery.status,
  attempts: delivery.attempts,
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  next_attempt_at: delivery.status === 'pending' ? toIso(delivery.nextAttemptAtMs) : null,
  created_at: toIso(delivery.createdAtMs),
  finished_at: toIsoOrNull(delivery.finishedAtMs),
});
