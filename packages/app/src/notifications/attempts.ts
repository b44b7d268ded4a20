import { nextAttemptAtMs } from '@granary/core/notifications/dispatch';
import {
  NOTIFICATION_DOCUMENT,
  notificationRecord,
  type StoredNotification,
} from '@granary/core/notifications/record';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import type { Transaction } from '../transaction.ts';
import { lockPendingNotification, saveAttempt } from './notification-rows.ts';

/** `isPermanent` means that another attempt would fail, too, for example because the address does not exist. */
export type AttemptOutcome =
  | { readonly isSent: true }
  | { readonly isSent: false; readonly error: string; readonly isPermanent: boolean };

interface Attempted {
  readonly notificationId: string;
  readonly outcome: AttemptOutcome;
  readonly nowMs: number;
}

/** Returns the notification after the attempt; `undefined` if it was cancelled or another node has finished it. */
export async function recordAttempt(
  tx: Transaction,
  { notificationId, outcome, nowMs }: Attempted,
): Promise<Committed<StoredNotification | undefined>> {
  const before = await lockPendingNotification(tx.sql, NOTIFICATION_DOCUMENT, notificationId);
  if (before === undefined) return committed(undefined);
  const after = afterAttempt(before, outcome, nowMs);
  await saveAttempt(tx.sql, after);
  if (after.status !== 'failed') return committed(after);
  const failed = {
    type: 'notification.failed' as const,
    deviceNo: null,
    atMs: nowMs,
    data: notificationRecord(after),
  };
  await logEvents(tx, [failed]);
  return committed(after, ...eventsLogged([failed]));
}

function afterAttempt(
  before: StoredNotification,
  outcome: AttemptOutcome,
  nowMs: number,
): StoredNotification {
  if (outcome.isSent) {
    return { ...before, status: 'sent', sentAtMs: nowMs, nextAttemptAtMs: null, lastError: null };
  }
  const { error: lastError, isPermanent } = outcome;
  const nextMs = isPermanent ? null : nextAttemptAtMs(before.createdAtMs, before.attempts, nowMs);
  return { ...before, lastError, nextAttemptAtMs: nextMs, status: nextMs === null ? 'failed' : 'pending' };
}
