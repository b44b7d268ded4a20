import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import { DAY_MS, toIso } from '@granary/contract/time';
import {
  type ReplayResult,
  TEST_MESSAGE,
  WEBHOOKS_MAX,
  type WebhookPatch,
  type WebhookReplay,
} from '@granary/contract/webhooks';
import {
  changedWebhook,
  type StoredWebhook,
  selectsEvent,
  webhookEventData,
} from '@granary/core/webhooks/webhook';
import { quoted } from '@granary/core/words';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, type Effect, eventsLogged } from '../effects.ts';
import { eventBounds, eventsAfter, lastSequence, logEvents, type NewEvent } from '../events/event-rows.ts';
import { refuseLimited } from '../rights.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import {
  type DeliveryExpiry,
  type DeliveryPage,
  dueWebhookNos,
  expireDeliveries,
  findDelivery,
  hasPendingDeliveries,
  insertDelivery,
  insertOrRepeatDeliveries,
  listDeliveries,
  makePendingDue,
  type NewDelivery,
  renewDelivery,
  repeatDeadDeliveries,
} from './delivery-rows.ts';
import { recordAttempt, takeDue } from './sending.ts';
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  lockWebhooksAt,
  markWebhookRemoved,
  type NewStoredWebhook,
  positionsBehind,
  replaceSecret,
  savePosition,
  saveWebhook,
  type WebhookPage,
} from './webhook-rows.ts';

/** A message that is not an event of the log. */
interface WebhookMessage {
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

/** How long deliveries are shown after they were delivered, or could be replayed after they were given up. */
const DELIVERED_KEPT_MS = 7 * DAY_MS;
const DEAD_KEPT_MS = 30 * DAY_MS;

/** The limit of events in one transaction, so that other writes are not delayed for long. */
const EVENTS_PER_CALL_MAX = 200;

const WEBHOOKS_PER_CALL_MAX = 20;

/** The limit of pending deliveries; further events wait in the log, so that a receiver that is away for days does not fill the table. */
const PENDING_MAX = 5_000;

/** The limit of one replay of dead deliveries, because it is one transaction. */
const REPLAYED_MAX = 10_000;

/** This effect tells the sender that a message may have to be sent. */
const CHANGED: Effect = { kind: 'webhooks_changed' };

/** Locks the webhook until the end of the transaction; refuses a caller that may not manage all webhooks. */
async function lockKnown(tx: Transaction, webhookId: string): Promise<StoredWebhook> {
  const webhook = await lockWebhook(tx.sql, webhookId);
  await refuseLimited(tx, 'manage webhooks');
  if (webhook === undefined)
    throw new Refusal('webhook_not_found', `there is no webhook ${quoted(webhookId)}`);
  return webhook;
}

/** Logs the change and returns the webhook as it is stored now. */
async function logChange(
  tx: Transaction,
  type: EventType,
  webhook: StoredWebhook,
  atMs: number,
): Promise<Committed<StoredWebhook>> {
  const event: NewEvent = { type, deviceNo: null, atMs, data: webhookEventData(webhook) };
  await logEvents(tx, [event]);
  return committed(webhook, CHANGED, ...eventsLogged([event]));
}

export const reads = {
  find: (sql: Sql, webhookId: string) => findWebhook(sql, webhookId),
  list: (sql: Sql, page: WebhookPage) => listWebhooks(sql, page),
  deliveries: (sql: Sql, page: DeliveryPage) => listDeliveries(sql, page),
  delivery: (sql: Sql, webhookNo: number, messageId: string) => findDelivery(sql, webhookNo, messageId),
  positionsBehind: (sql: Sql) => positionsBehind(sql),
  due: (sql: Sql, nowMs: number) => dueWebhookNos(sql, nowMs),
};

export const expiry = (_kept: object, nowMs: number): Omit<DeliveryExpiry, 'rowsMax'> => ({
  deliveredBeforeMs: nowMs - DELIVERED_KEPT_MS,
  deadBeforeMs: nowMs - DEAD_KEPT_MS,
});

export const writes = {
  async create(tx: Transaction, webhook: NewStoredWebhook): Promise<Committed<StoredWebhook>> {
    await refuseLimited(tx, 'manage webhooks');
    if ((await countWebhooks(tx.sql)) >= WEBHOOKS_MAX) {
      throw new Refusal('webhook_limit_reached', `there are ${WEBHOOKS_MAX} webhooks already`);
    }
    await insertWebhook(tx.sql, webhook);
    const created = await lockKnown(tx, webhook.webhookId);
    return await logChange(tx, 'webhook.created', created, webhook.createdAtMs);
  },

  async update(
    tx: Transaction,
    webhookId: string,
    patch: WebhookPatch,
    nowMs: number,
  ): Promise<Committed<StoredWebhook>> {
    const changed = changedWebhook(await lockKnown(tx, webhookId), patch, nowMs);
    await saveWebhook(tx.sql, changed);
    return await logChange(tx, 'webhook.updated', changed, nowMs);
  },

  /** Removes a webhook; its deliveries are removed later, in small steps. */
  async remove(tx: Transaction, webhookId: string, nowMs: number): Promise<Committed<StoredWebhook>> {
    const removed = await lockKnown(tx, webhookId);
    await markWebhookRemoved(tx.sql, removed.webhookNo, nowMs);
    return await logChange(tx, 'webhook.removed', removed, nowMs);
  },

  /** Enables a webhook. Its waiting deliveries are sent now, because the receiver probably works again. */
  async enable(
    tx: Transaction,
    webhookId: string,
    { skipMissed, nowMs }: { readonly skipMissed: boolean; readonly nowMs: number },
  ): Promise<Committed<StoredWebhook>> {
    const enabled = changedWebhook(await lockKnown(tx, webhookId), { enabled: true }, nowMs);
    const { newest } = await eventBounds(tx.sql);
    const changed = skipMissed ? { ...enabled, position: Math.max(newest, enabled.position) } : enabled;
    await saveWebhook(tx.sql, changed);
    await makePendingDue(tx.sql, changed.webhookNo, nowMs);
    return await logChange(tx, 'webhook.updated', changed, nowMs);
  },

  /** Stores a new secret. The former one stays valid until `previousUntilMs`; an even older one ends now. */
  async rotateSecret(
    tx: Transaction,
    webhookId: string,
    secret: string,
    times: { readonly previousUntilMs: number; readonly nowMs: number },
  ): Promise<Committed<StoredWebhook>> {
    const { webhookNo } = await lockKnown(tx, webhookId);
    await replaceSecret(tx.sql, webhookNo, secret, times);
    const rotated = await lockKnown(tx, webhookId);
    return await logChange(tx, 'webhook.secret_rotated', rotated, times.nowMs);
  },

  async test(
    tx: Transaction,
    webhookId: string,
    messageId: string,
    nowMs: number,
  ): Promise<Committed<{ readonly webhookNo: number; readonly messageId: string }>> {
    const { webhookNo, enabled } = await lockKnown(tx, webhookId);
    if (!enabled) throw new Refusal('webhook_disabled', 'the webhook is disabled; enable it first');
    const payload = { webhook_id: webhookId };
    await enqueueMessage(tx.sql, { webhookNo, messageId, type: TEST_MESSAGE, payload, nowMs });
    return committed({ webhookNo, messageId }, CHANGED);
  },

  /** Repeats events. Events that are not distributed yet are not sent twice, because the position only moves back. */
  async replay(
    tx: Transaction,
    webhookId: string,
    replay: WebhookReplay,
    nowMs: number,
  ): Promise<Committed<ReplayResult>> {
    const webhook = await lockKnown(tx, webhookId);
    const { webhookNo, position } = webhook;
    if ('dead' in replay) {
      const deliveries = await repeatDeadDeliveries(tx.sql, {
        webhookNo,
        exceptType: TEST_MESSAGE,
        nowMs,
        limit: REPLAYED_MAX,
      });
      return committed({ events: 0, deliveries }, CHANGED);
    }
    const { oldest, newest } = await eventBounds(tx.sql);
    const from = replay.from_event;
    if (from < oldest || from > newest) {
      throw new Refusal('invalid_input', 'the replay is not valid', [
        { path: '/from_event', message: `must be the number of a stored event, from ${oldest} to ${newest}` },
      ]);
    }
    await saveWebhook(tx.sql, { ...webhook, position: Math.min(position, from - 1) });
    return committed({ events: newest - from + 1, deliveries: 0 }, CHANGED);
  },

  distribute,
  take: takeDue,

  /** Extends the lease, because the sender still works on the delivery. */
  renew: async (
    tx: Transaction,
    lease: { readonly deliveryNo: number; readonly fromMs: number; readonly toMs: number },
  ): Promise<Committed<boolean>> => committed(await renewDelivery(tx.sql, lease)),

  record: recordAttempt,

  expire: longWrite(async (tx, expiry: DeliveryExpiry) => committed(await expireDeliveries(tx.sql, expiry))),
};

const eventMessageId = (sequence: number): string => `evt_${sequence}`;

/**
 * Creates the deliveries of the next events for the webhooks at one position, and advances their positions in the same
 * transaction, so that a crash neither loses nor skips an event. Returns the number of webhooks that were advanced.
 */
async function distribute(
  tx: Transaction,
  { position, nowMs }: { readonly position: number; readonly nowMs: number },
): Promise<Committed<number>> {
  const locked = await lockWebhooksAt(tx.sql, { position, limit: WEBHOOKS_PER_CALL_MAX });
  if (locked.length === 0) return committed(0);
  // The number is read before the events: if there are no events after the position, the retention has removed all events up to it.
  const newest = await lastSequence(tx.sql);
  const events = await eventsAfter(tx.sql, { sequence: position, limit: EVENTS_PER_CALL_MAX });
  const nextPosition = events.at(-1)?.sequence ?? newest;
  let advanced = 0;
  for (const webhook of locked) {
    const { webhookNo } = webhook;
    if (await hasPendingDeliveries(tx.sql, webhookNo, PENDING_MAX)) continue;
    const deliveries = events
      .filter((event) => selectsEvent(webhook, event))
      .map(({ sequence, type }): NewDelivery => {
        const messageId = eventMessageId(sequence);
        return { webhookNo, messageId, type, sequence, body: null, createdAtMs: nowMs };
      });
    await insertOrRepeatDeliveries(tx.sql, deliveries);
    await savePosition(tx.sql, webhookNo, nextPosition);
    advanced++;
  }
  return committed(advanced);
}
