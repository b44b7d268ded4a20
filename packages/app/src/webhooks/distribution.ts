import { selectsEvent } from '@granary/core/webhooks/webhook';
import type { Sql } from '@granary/store/sql';
import { eventsAfter, lastSequence } from '@granary/store/tables/events';
import {
  hasPendingDeliveries,
  insertOrRepeatDeliveries,
  type NewDelivery,
} from '@granary/store/tables/webhooks/deliveries';
import { lockWebhooksAt, savePosition } from '@granary/store/tables/webhooks/webhooks';
import { type Committed, committed } from '../effects.ts';

/** Limits of one transaction, so that other writes are not held up for long. */
const EVENTS_PER_CALL_MAX = 200;
const WEBHOOKS_PER_CALL_MAX = 20;
/** Further events wait in the log, so that a receiver that is away for days does not fill the table. */
const PENDING_MAX = 5_000;

export const eventMessageId = (sequence: number): string => `evt_${sequence}`;

/**
 * Creates the deliveries of the next events for the webhooks at one position, and advances their positions in the same
 * transaction, so that a crash neither loses nor skips an event. Returns the number of webhooks that were advanced.
 */
export async function distribute(
  sql: Sql,
  { position, nowMs }: { readonly position: number; readonly nowMs: number },
): Promise<Committed<number>> {
  const locked = await lockWebhooksAt(sql, { position, limit: WEBHOOKS_PER_CALL_MAX });
  if (locked.length === 0) return committed(0);
  // Read first: without events after the position, all up to this one were removed by the retention.
  const newest = await lastSequence(sql);
  const events = await eventsAfter(sql, { sequence: position, limit: EVENTS_PER_CALL_MAX });
  const nextPosition = events.at(-1)?.sequence ?? newest;
  let advanced = 0;
  for (const webhook of locked) {
    const { webhookNo } = webhook;
    if (await hasPendingDeliveries(sql, webhookNo, PENDING_MAX)) continue;
    const deliveries = events
      .filter((event) => selectsEvent(webhook, event))
      .map(({ sequence, type }): NewDelivery => {
        const messageId = eventMessageId(sequence);
        return { webhookNo, messageId, type, sequence, body: null, createdAtMs: nowMs };
      });
    await insertOrRepeatDeliveries(sql, deliveries);
    await savePosition(sql, webhookNo, nextPosition);
    advanced++;
  }
  return committed(advanced);
}
