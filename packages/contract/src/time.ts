/** 0001-01-01T00:00:00Z: from here to `TIME_MS_MAX`, `toIso` writes years of four digits. */
export const TIME_MS_MIN = -62_135_596_800_000;
/** 9999-12-31T23:59:59.999Z. */
export const TIME_MS_MAX = 253_402_300_799_999;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const TIME_EXAMPLE = '2026-11-15T08:30:00Z';

const DATE_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * The only parser of times from outside: RFC 3339 with an offset, to milliseconds since 1970; `null` for anything else.
 * Small letters are accepted. Leap seconds, hour 24, zone names and days that the month does not have are refused.
 */
export function parseTime(text: string): number | null {
  if (!DATE_TIME.test(text) || !hasDay(text)) return null;
  const timeMs = Date.parse(text.toUpperCase());
  return timeMs >= TIME_MS_MIN && timeMs <= TIME_MS_MAX ? timeMs : null;
}

/** `Date.parse` would read 30 February as 2 March. */
function hasDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= 28) return true;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  if (month !== 2) return day <= 30 || !MONTHS_OF_30_DAYS.includes(month);
  return day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const MONTHS_OF_30_DAYS = [4, 6, 9, 11];

/** Parses a text that a schema has already checked. */
export function checkedTimeMs(text: string): number {
  const timeMs = parseTime(text);
  if (timeMs === null) throw new Error('a time was read that no schema has checked');
  return timeMs;
}

let lastMs = Number.NaN;
let lastIso = '';

/** Caches the last result, because the values of one reading share one time and formatting is expensive. */
export function toIso(timeMs: number): string {
  if (timeMs !== lastMs) {
    lastIso = new Date(timeMs).toISOString();
    lastMs = timeMs;
  }
  return lastIso;
}

export const toIsoOrNull = (timeMs: number | null): string | null => (timeMs === null ? null : toIso(timeMs));
