import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
  w: 7 * 24 * 3_600_000,
};
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Reads a duration such as 90s, 30m, 12h, 7d or 2w, in milliseconds, for `argParser`. */
export function durationMs(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,6}(?:\.\d+)?)(s|m|min|h|d|w)$/.exec(text) ?? [];
  const factor = UNIT_MS[unit];
  if (amount === undefined || factor === undefined) {
    throw new InvalidArgumentError('It must be a duration such as 30m, 12h or 7d.');
  }
  return Number(amount) * factor;
}

/** Reads a time such as 2026-11-15T08:00:00Z or 2026-11-15, as ISO 8601, for `argParser`. */
export function timestamp(text: string): string {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2026-11-15T08:00:00Z.');
  return new Date(ms).toISOString();
}

/** Reads a time as `timestamp` does, or an age such as 12h or 7d; returns ISO 8601, for `argParser`. */
export function timeOrAge(text: string): string {
  if (/^[\d.]+[a-z]+$/.test(text)) return new Date(Date.now() - durationMs(text)).toISOString();
  if (!Number.isNaN(Date.parse(text))) return timestamp(text);
  throw new InvalidArgumentError('It must be a duration such as 12h or 7d, or a time such as 2026-11-15.');
}

/** A duration in the largest unit that fits, such as `4 min`. */
export function duration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.round(ms / SECOND_MS))} s`;
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.round(ms / HOUR_MS)} h`;
  return `${Math.round(ms / DAY_MS)} days`;
}

/** How long ago a time was; clocks that differ a little must not show a time in the future. */
export const age = (time: string | null, nowMs: number = Date.now()): string =>
  time === null ? 'never' : `${duration(nowMs - Date.parse(time))} ago`;
