import { toIso } from '@granary/contract/time';
import type { Sql } from '@granary/store/sql';
import { insertDelivery } from './delivery-rows.ts';

/** A message that is not an event of the log. */
export interface WebhookMessage {
  readonly webhookNo: number;
  /** The header `webhook-id`: a receiver recognises repeated messages by it. */
  readonly messageId: string;
  readonly type: string;
  /** The field `data` of the body. */
  readonly payload: object;
  readonly nowMs: number;
}

/**
 * Stores a message for a webhook inside the transaction of the caller, and returns whether it is a new one. It is sent after
 * the commit; the caller returns the effect `webhooks_changed` so that this happens at once.
 */
export async function enqueueMessage(
  sql: Sql,
  { webhookNo, messageId, type, payload, nowMs }: WebhookMessage,
): Promise<boolean> {
  const body = JSON.stringify({ id: messageId, type, at: toIso(nowMs), data: payload });
  return await insertDelivery(sql, {
    webhookNo,
    messageId,
    type,
    sequence: null,
    body,
    createdAtMs: nowMs,
  });
}
