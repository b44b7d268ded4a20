import type { ErrorCode } from '@granary/contract/errors';
import { ApiError, UnreachableError } from '../failures.ts';

interface Pace {
  readonly firstWaitMs: number;
  readonly waitMsMax: number;
  /** The limit of the first attempt; each further attempt has twice the time of the one before. */
  readonly firstAttemptMs: number;
  /** False for a stop, which does not wait longer because a server asks for it. */
  readonly honoursRetryAfter: boolean;
  /** True for a stop, which is repeated after every fault of the service, because an unnecessary request is better than giving up. */
  readonly repeatsAfterFaults: boolean;
}

const USUAL_PACE: Pace = {
  firstWaitMs: 250,
  waitMsMax: 5_000,
  firstAttemptMs: 15_000,
  honoursRetryAfter: true,
  repeatsAfterFaults: false,
};
const URGENT_PACE: Pace = {
  firstWaitMs: 100,
  waitMsMax: 500,
  firstAttemptMs: 2_000,
  honoursRetryAfter: false,
  repeatsAfterFaults: true,
};

/** The codes of temporary refusals; the same request, with its Idempotency-Key, may succeed later. */
const TEMPORARY: ReadonlySet<string> = new Set<ErrorCode>([
  'rate_limited',
  'request_timeout',
  'idempotency_in_progress',
  'export_limit_reached',
  'stream_limit_reached',
  'too_many_connections',
  'service_stopping',
  'storage_unavailable',
  'ingest_busy',
  'broker_unavailable',
]);
/** The statuses with which a proxy answers while its service is down or restarts. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

export const paceOf = (isUrgent: boolean): Pace => (isUrgent ? URGENT_PACE : USUAL_PACE);

export function isTemporary(failure: unknown, { repeatsAfterFaults }: Pace): boolean {
  if (failure instanceof UnreachableError) return true;
  if (!(failure instanceof ApiError)) return false;
  if (TEMPORARY.has(failure.code) || (repeatsAfterFaults && failure.status >= 500)) return true;
  return failure.code === 'unexpected_answer' && GATEWAY_STATUSES.has(failure.status);
}

/**
 * Returns whether the request was refused before anything was done. Then it is repeated even without a key by which the service
 * recognises a repetition.
 */
export const isCertainlyUndone = (failure: unknown): boolean =>
  failure instanceof ApiError && failure.code === 'rate_limited';

/** Returns the limit of an attempt; the first attempt has the number 1. */
export const attemptLimitMs = (attempt: number, { firstAttemptMs }: Pace): number =>
  firstAttemptMs * 2 ** (attempt - 1);

/**
 * Returns the wait before the next attempt. It doubles with each attempt; its random part keeps many clients from repeating
 * their requests at the same moment.
 */
export function waitBeforeNextMs(
  attempt: number,
  failure: unknown,
  pace: Pace,
  random: () => number,
): number {
  const longestMs = Math.min(pace.waitMsMax, pace.firstWaitMs * 2 ** (attempt - 1));
  const waitMs = longestMs * (0.5 + random() / 2);
  const askedMs = failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0;
  return pace.honoursRetryAfter ? Math.max(waitMs, askedMs) : waitMs;
}

/** Returns the wait that the header asks for; the header has seconds or a date. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
