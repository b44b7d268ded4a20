import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { type DeliveryStatus, TEST_MESSAGE } from '@granary/contract/webhooks';

/** The waiting times between the attempts; after the last attempt a delivery is dead. */
export interface RetrySchedule {
  readonly delaysMs: readonly number[];
}

/** The attempts last three days in total, as Standard Webhooks recommends. */
export const RETRY_SCHEDULE: RetrySchedule = {
  delaysMs: [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    20 * HOUR_MS,
  ],
};

/** A webhook is disabled if all attempts of this time fail. */
export const FAILING_MS_MAX = 3 * DAY_MS;
/** A receiver cannot postpone an attempt by more than this. */
export const RETRY_AFTER_MS_MAX = HOUR_MS;
/** Attempts of many deliveries are spread over this part of the waiting time. */
export const JITTER = 0.2;
/** How often the log says that deliveries of a webhook are dead. */
const DEAD_REPORTED_EVERY_MS = HOUR_MS;

const GONE = 410;
const ERROR_CHARS_MAX = 300;

/** The result of one attempt. */
export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  /** There was no answer: the connection was refused or timed out, or the certificate is wrong. */
  | { readonly kind: 'failed'; readonly error: string }
  /** There is nothing left to send, so nothing was sent. */
  | { readonly kind: 'not_sent'; readonly error: string };

export interface AttemptedDelivery {
  readonly type: string;
  /** The number of earlier attempts. */
  readonly attempts: number;
}

export interface DeliveryAfterAttempt {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Only a pending delivery has a next attempt. */
  readonly nextAttemptAtMs: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

export const isSuccess = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

function errorOf(outcome: AttemptOutcome): string | null {
  if (outcome.kind !== 'answered') return outcome.error.slice(0, ERROR_CHARS_MAX);
  const { status } = outcome;
  if (isSuccess(outcome)) return null;
  if (status >= 300 && status < 400) return `the receiver answered ${status}; redirects are not followed`;
  return `the receiver answered ${status}`;
}

/** `random` is from 0 to 1 and spreads the attempts. A test is sent once. */
export function afterAttempt(
  { type, attempts: before }: AttemptedDelivery,
  outcome: AttemptOutcome,
  { nowMs, random, schedule }: { nowMs: number; random: number; schedule: RetrySchedule },
): DeliveryAfterAttempt {
  const attempts = outcome.kind === 'not_sent' ? before : before + 1;
  const lastStatus = outcome.kind === 'answered' ? outcome.status : null;
  const result = { attempts, lastStatus, lastError: errorOf(outcome) };
  if (isSuccess(outcome)) return { ...result, status: 'delivered', nextAttemptAtMs: null };
  const delayMs = schedule.delaysMs[attempts - 1];
  const isLast = type === TEST_MESSAGE || outcome.kind === 'not_sent' || delayMs === undefined;
  if (isLast) return { ...result, status: 'dead', nextAttemptAtMs: null };
  const spreadMs = delayMs * (1 + JITTER * (random - 0.5));
  const wantedMs = outcome.kind === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
  const waitMs = Math.max(Math.round(spreadMs), Math.min(wantedMs, RETRY_AFTER_MS_MAX));
  return { ...result, status: 'pending', nextAttemptAtMs: nowMs + waitMs };
}

interface FailureState {
  readonly failingSinceMs: number | null;
}

/** The changes of a webhook after an attempt; a test and a message that was not sent change nothing. */
export function webhookAfterAttempt(
  { failingSinceMs }: FailureState,
  { type }: AttemptedDelivery,
  outcome: AttemptOutcome,
  nowMs: number,
): FailureState & { readonly disabledReason: string | null } {
  if (isSuccess(outcome)) return { failingSinceMs: null, disabledReason: null };
  if (type === TEST_MESSAGE || outcome.kind === 'not_sent') return { failingSinceMs, disabledReason: null };
  const sinceMs = failingSinceMs ?? nowMs;
  if (outcome.kind === 'answered' && outcome.status === GONE) {
    return { failingSinceMs: sinceMs, disabledReason: 'the receiver answered 410 (gone)' };
  }
  const disabledReason = nowMs - sinceMs >= FAILING_MS_MAX ? 'every attempt of three days failed' : null;
  return { failingSinceMs: sinceMs, disabledReason };
}

/** Whether the log reports that this delivery is dead; the result of a test is in the answer to its caller. */
export const isDeadReported = (
  { type }: Pick<AttemptedDelivery, 'type'>,
  { status }: Pick<DeliveryAfterAttempt, 'status'>,
  { reportedAtMs, nowMs }: { readonly reportedAtMs: number | null; readonly nowMs: number },
): boolean =>
  status === 'dead' &&
  type !== TEST_MESSAGE &&
  (reportedAtMs === null || nowMs - reportedAtMs >= DEAD_REPORTED_EVERY_MS);
