/** A total at a time. Stations report the rain of a day, a month or a year, and `rainfall` is the amount since the previous reading. */
export interface Total {
  readonly atMs: number;
  readonly value: number;
}

/** The amount since the previous reading; `null` if there is no previous reading to compare with. */
export interface Addition {
  readonly added: number | null;
  /** The total with which the next reading is compared. */
  readonly total: Total;
}

/** The share by which a total may seem to fall because sensors round; a larger fall is a reset. */
const ROUNDING_SHARE = 1e-6;

/**
 * Returns the added amount. A total that is lower than before was reset, and all of it was added after the reset. A reading
 * that is older than the last one, or has the same time, adds nothing.
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
