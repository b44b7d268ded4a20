import { Type } from 'typebox';

/** ISO 8601 with a zone. Granary itself always writes UTC ending in `Z`. */
export const Timestamp = Type.String({ format: 'date-time' });

let lastMs = Number.NaN;
let lastIso = '';

/** Remembers its last answer: the values of one reading share one time, and formatting it is what costs. */
export function toIso(timeMs: number): string {
  if (timeMs !== lastMs) {
    lastIso = new Date(timeMs).toISOString();
    lastMs = timeMs;
  }
  return lastIso;
}

export const toIsoOrNull = (timeMs: number | null): string | null => (timeMs === null ? null : toIso(timeMs));

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
