import {
  type AttemptedDelivery,
  type AttemptOutcome,
  afterAttempt,
  isDeadReported,
  isSuccess,
  type RetrySchedule,
  webhookAfterAttempt,
} from '@granary/core/webhooks/attempts';
import { type StoredWebhook, webhookEventData } from '@granary/core/webhooks/webhook';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { eventsNumbered, logEvents, type NewEvent, type StoredEvent } from '../events/event-rows.ts';
import type { Transaction } from '../transaction.ts';
import {
  leaseDeliveries,
  lockDueDeliveries,
  lockPendingDelivery,
  type StoredDelivery,
  saveAttempt,
} from './delivery-rows.ts';
import {
  endFailing,
  findEnabledWebhook,
  findSecrets,
  lockWebhookNumbered,
  saveWebhook,
} from './webhook-rows.ts';

export interface TakeRequest {
  readonly webhookNo: number;
  readonly limit: number;
  readonly nowMs: number;
  readonly leasedUntilMs: number;
}

export interface TakenDelivery extends AttemptedDelivery {
  readonly deliveryNo: number;
  readonly messageId: string;
  /** A delivery has either an event or a body; it has neither if the event is no longer stored. */
  readonly event: StoredEvent | null;
  readonly body: string | null;
}

export interface TakenDeliveries {
  readonly url: string;
  /** The secrets to sign with, the newest first. */
  readonly secrets: readonly string[];
  readonly deliveries: readonly TakenDelivery[];
}

/** Takes deliveries that are due, with a lease: if this node crashes, they are due again when the lease ends. */
export async function takeDue(
  tx: Transaction,
  { webhookNo, limit, nowMs, leasedUntilMs }: TakeRequest,
): Promise<Committed<TakenDeliveries | null>> {
  const webhook = await findEnabledWebhook(tx.sql, webhookNo);
  const secrets = await findSecrets(tx.sql, webhookNo);
  if (webhook === undefined || secrets === undefined) return committed(null);
  const due = { webhookNo, nowMs, limit };
  const firstAttempts = await lockDueDeliveries(tx.sql, { ...due, isRetry: false });
  const retries = await lockDueDeliveries(tx.sql, { ...due, isRetry: true });
  const taken = inTurns(firstAttempts, retries).slice(0, limit);
  if (taken.length === 0) return committed(null);
  await leaseDeliveries(
    tx.sql,
    taken.map(({ deliveryNo }) => deliveryNo),
    leasedUntilMs,
  );
  const { secret, previousSecret, previousSecretUntilMs } = secrets;
  const isOverlap = previousSecret !== null && (previousSecretUntilMs ?? 0) > nowMs;
  return committed({
    url: webhook.url,
    secrets: isOverlap ? [secret, previousSecret] : [secret],
    deliveries: await withEvents(tx.sql, taken),
  });
}

/** Alternates two lists, so that old failures do not delay new events and new events do not delay old failures for ever. */
function inTurns<T>(some: readonly T[], others: readonly T[]): T[] {
  const length = Math.max(some.length, others.length);
  return Array.from({ length }, (_, i) => [...some.slice(i, i + 1), ...others.slice(i, i + 1)]).flat();
}

async function withEvents(sql: Sql, taken: readonly StoredDelivery[]): Promise<TakenDelivery[]> {
  const sequences = taken.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]));
  const events = new Map((await eventsNumbered(sql, sequences)).map((event) => [event.sequence, event]));
  return taken.map(({ deliveryNo, messageId, type, attempts, sequence, body }) => ({
    deliveryNo,
    messageId,
    type,
    attempts,
    body,
    event: sequence === null ? null : (events.get(sequence) ?? null),
  }));
}

export interface AttemptRecord {
  readonly webhookNo: number;
  readonly deliveryNo: number;
  readonly outcome: AttemptOutcome;
  readonly nowMs: number;
  /** A random number from 0 to 1, which spreads the next attempts. */
  readonly random: number;
  readonly schedule: RetrySchedule;
}

/** Records an attempt. A delivery that is no longer pending, because another node was faster after the lease, stays as it is. */
export async function recordAttempt(tx: Transaction, attempt: AttemptRecord): Promise<Committed<void>> {
  const { webhookNo, deliveryNo, outcome, nowMs } = attempt;
  if (isSuccess(outcome)) {
    await endFailing(tx.sql, webhookNo);
    const delivery = await lockPendingDelivery(tx.sql, deliveryNo);
    if (delivery !== undefined)
      await saveAttempt(tx.sql, deliveryNo, afterAttempt(delivery, outcome, attempt), nowMs);
    return committed(undefined);
  }
  const webhook = await lockWebhookNumbered(tx.sql, webhookNo);
  const delivery = await lockPendingDelivery(tx.sql, deliveryNo);
  if (webhook === undefined || delivery === undefined) return committed(undefined);
  const after = afterAttempt(delivery, outcome, attempt);
  await saveAttempt(tx.sql, deliveryNo, after, nowMs);
  const { failingSinceMs, disabledReason } = webhookAfterAttempt(webhook, delivery, outcome, nowMs);
  const isReported = isDeadReported(delivery, after, { reportedAtMs: webhook.deadReportedAtMs, nowMs });
  const isDisabled = disabledReason !== null && webhook.enabled;
  const changed: StoredWebhook = {
    ...webhook,
    failingSinceMs,
    enabled: webhook.enabled && disabledReason === null,
    disabledReason: isDisabled ? disabledReason : webhook.disabledReason,
    deadReportedAtMs: isReported ? nowMs : webhook.deadReportedAtMs,
    updatedAtMs: isDisabled ? nowMs : webhook.updatedAtMs,
  };
  if (failingSinceMs !== webhook.failingSinceMs || isReported || isDisabled)
    await saveWebhook(tx.sql, changed);
  const events: NewEvent[] = [];
  if (isReported) {
    const { messageId, type } = delivery;
    const { attempts, lastStatus, lastError } = after;
    const data = { webhook_id: webhook.webhookId, message_id: messageId, type, attempts };
    events.push({
      type: 'webhook.delivery_dead',
      deviceNo: null,
      atMs: nowMs,
      data: { ...data, last_status: lastStatus, last_error: lastError },
    });
  }
  if (isDisabled) {
    events.push({ type: 'webhook.disabled', deviceNo: null, atMs: nowMs, data: webhookEventData(changed) });
  }
  await logEvents(tx, events);
  return committed(undefined, ...eventsLogged(events));
}
