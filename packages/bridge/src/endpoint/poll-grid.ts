/** Polls start at fixed times: phase, phase + period, … A poll that cannot start in its slot is left out. */
export interface Slot {
  readonly atMs: number;
  readonly skipped: number;
  readonly nextMs: number;
}

/** Returns a place in the period that is always the same for a device, so that devices are not all asked at once. */
export function phaseOf(key: string, periodMs: number): number {
  // FNV-1a, whose last steps mix the bits so that similar names are far apart.
  let hash = 0x811c9dc5;
  for (const character of key) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % periodMs;
}

/** Returns the first slot at or after a time. */
export const slotFrom = (timeMs: number, periodMs: number, phaseMs: number): number =>
  phaseMs + Math.ceil((timeMs - phaseMs) / periodMs) * periodMs;

/** Returns the slot for a poll that was due and starts now: the last slot that has begun. */
export function slotAt(dueMs: number, periodMs: number, nowMs: number): Slot {
  const skipped = Math.max(0, Math.floor((nowMs - dueMs) / periodMs));
  const atMs = dueMs + skipped * periodMs;
  return { atMs, skipped, nextMs: atMs + periodMs };
}

/** The number of failures of a unit in a row, since when they last, and when the unit is asked again. */
export interface Breaker {
  readonly failures: number;
  readonly sinceMs: number | null;
  readonly nextTryMs: number | null;
}

export const CLOSED: Breaker = { failures: 0, sinceMs: null, nextTryMs: null };

const FAILURES_TO_OPEN = 2;
const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 60_000;
/** A unit that answered a short time ago is asked often, so that its return is noticed within seconds. */
const RECENT_MS = 60_000;
const RECENT_WAIT_MS_MAX = 4_000;
const JITTER = 0.1;

/**
 * Returns the breaker after a failure. `random` is from 0 to 1; `hasAnswered` tells whether the unit has answered since the
 * start of the bridge.
 */
export function afterFailure(before: Breaker, nowMs: number, random: number, hasAnswered: boolean): Breaker {
  const failures = before.failures + 1;
  const sinceMs = before.sinceMs ?? nowMs;
  if (failures < FAILURES_TO_OPEN) return { failures, sinceMs, nextTryMs: null };
  const isRecent = hasAnswered && nowMs - sinceMs < RECENT_MS;
  const doubledMs = FIRST_WAIT_MS * 2 ** Math.min(failures - FAILURES_TO_OPEN, 10);
  const waitMs = Math.min(doubledMs, isRecent ? RECENT_WAIT_MS_MAX : WAIT_MS_MAX);
  return { failures, sinceMs, nextTryMs: nowMs + waitMs * (1 - JITTER * random) };
}

const RECONNECT_MS = [250, 500, 1_000, 2_000];

/** Returns the wait after a number of failed attempts to connect in a row. */
export const reconnectWaitMs = (attempts: number, random: number): number =>
  (RECONNECT_MS[Math.min(attempts, RECONNECT_MS.length) - 1] ?? RECONNECT_MS[0] ?? 0) * (1 - JITTER * random);

const PROBE_MS_MIN = 100;
const PROBE_FACTOR = 5;

/** Returns the timeout of a probe. It is shorter than usual, because other units wait meanwhile. */
export const probeTimeoutMs = (timeoutMs: number, usualMs: number | null): number =>
  usualMs === null ? timeoutMs : Math.min(timeoutMs, Math.max(PROBE_MS_MIN, PROBE_FACTOR * usualMs));
