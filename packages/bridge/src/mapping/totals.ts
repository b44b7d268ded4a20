/**
 * What was added to a total since the reading before: stations report the rain of a day, a month or a year, and `rainfall` is
 * what fell since the reading before.
 */
export interface Total {
  readonly atMs: number;
  readonly value: number;
}

/** `null` where nothing can be said, because there is no reading before this one. */
export interface Addition {
  readonly added: number | null;
  /** What the next reading is compared with. */
  readonly total: Total;
}

/** Sensors round, so that a total may seem to fall by this share of itself; more than that is a reset. */
const ROUNDING_SHARE = 1e-6;

/**
 * A total that is lower than before was reset, and what it shows now was added after the reset. A reading that is older than
 * the last one, or has its time, says nothing new.
 */
export function addedSince(previous: Total | null, now: Total): Addition {
  if (previous === null) return { added: null, total: now };
  if (now.atMs <= previous.atMs) return { added: null, total: previous };
  const difference = now.value - previous.value;
  if (difference >= 0) return { added: difference, total: now };
  const isRounding = -difference <= Math.abs(previous.value) * ROUNDING_SHARE;
  if (isRounding) return { added: 0, total: { atMs: now.atMs, value: previous.value } };
  return { added: now.value >= 0 ? now.value : null, total: now };
}
