import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { BoundedMap } from './bounded-map.ts';

/** No local time differs more from UTC. */
const OFFSET_MS_MAX = 15 * HOUR_MS;
/** Each offset of a zone lasts longer than this. */
const SAMPLED_EVERY_MS = 30 * DAY_MS;
/** The range in which a start of a day is searched: if the clocks skip a day, the next day begins within it. */
const DAYS_SEARCHED_MS = 3 * DAY_MS;
/** A deployment uses fewer zones than this; creating a formatter takes longer than using it. */
const FORMATTERS_MAX = 64;

const formatters = new BoundedMap<string, Intl.DateTimeFormat>(FORMATTERS_MAX);

/** The days of a time zone, of which two in a year may be longer or shorter. */
export interface TimeZone {
  readonly name: string;
  /** The start of the day that contains the time. */
  dayStartOf(timeMs: number): number;
  /** The first start of a day at this time or later. */
  dayStartFrom(timeMs: number): number;
  /** The start of the day after the one that contains the time. */
  nextDayStart(timeMs: number): number;
  /** Returns the local date, such as `2026-03-29`. */
  dateAt(timeMs: number): string;
  /** Returns whether every hour of the range begins with an hour of UTC. */
  hasWholeHours(fromMs: number, toMs: number): boolean;
}

export function isTimeZone(name: string): boolean {
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns `null` if there is no time zone of this name. */
export function timeZone(name: string): TimeZone | null {
  if (!isTimeZone(name)) return null;
  const dayOf = (timeMs: number): number => Math.floor(localMs(timeMs, name) / DAY_MS);

  /** Finds the first minute whose day is later than `day`. The day of `early` is not later, and the day of `late` is. */
  const changeBetween = (early: number, late: number, day: number): number => {
    const [before, after] = [Math.floor(early / MINUTE_MS), Math.floor(late / MINUTE_MS)];
    return firstBetween(before, after, (minute) => dayOf(minute * MINUTE_MS) > day) * MINUTE_MS;
  };

  const dayStartOf = (timeMs: number): number =>
    changeBetween(timeMs - DAYS_SEARCHED_MS, timeMs, dayOf(timeMs) - 1);

  const nextDayStart = (timeMs: number): number => {
    const day = dayOf(timeMs);
    // Nearly every day ends 24 hours after it began; two look-ups check this.
    const usual = timeMs + DAY_MS;
    if (dayOf(usual) === day + 1 && dayOf(usual - MINUTE_MS) === day) return usual - (usual % MINUTE_MS);
    return changeBetween(timeMs, timeMs + DAYS_SEARCHED_MS, day);
  };

  return {
    name,
    dayStartOf,
    nextDayStart,
    dayStartFrom: (timeMs) => (dayStartOf(timeMs) === timeMs ? timeMs : nextDayStart(timeMs)),
    dateAt: (timeMs) => new Date(localMs(timeMs, name)).toISOString().slice(0, 10),
    hasWholeHours(fromMs, toMs) {
      for (let timeMs = fromMs; timeMs < toMs; timeMs += SAMPLED_EVERY_MS) {
        if (!isWholeHours(offsetMs(timeMs, name))) return false;
      }
      return isWholeHours(offsetMs(toMs, name));
    },
  };
}

/** Returns the local time in the zone, as if it were UTC. */
export function localMs(timeMs: number, zone: string): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(timeMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const local = Date.UTC(year, month - 1, day, hour, minute, second) + millisecondOf(timeMs);
  // Years before 100 and before the common era are parsed wrong; no reading is that old.
  return Math.abs(local - timeMs) <= OFFSET_MS_MAX ? local : timeMs;
}

/**
 * Returns the first instant with this local time. For a local time that the clocks skip, returns the instant at which they are
 * put forward.
 */
export function instantOf(local: number, zone: string): number {
  // No zone is further from UTC than a day, and its offset changes at most once around one night.
  const candidates = [local - DAY_MS, local + DAY_MS]
    .map((timeMs) => local - offsetMs(timeMs, zone))
    .sort((a, b) => a - b);
  const found = candidates.find((timeMs) => localMs(timeMs, zone) === local);
  if (found !== undefined) return found;
  const [first = 0, last = 0] = candidates;
  return firstBetween(first, last, (timeMs) => offsetMs(timeMs, zone) !== offsetMs(first, zone));
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const created = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, created);
  return created;
}

const offsetMs = (timeMs: number, zone: string): number => localMs(timeMs, zone) - timeMs;
const isWholeHours = (offset: number): boolean => offset % HOUR_MS === 0;
const millisecondOf = (timeMs: number): number => ((timeMs % 1_000) + 1_000) % 1_000;

/** Returns the first number after `before` for which `isTrue` holds; it must hold for `after`. */
function firstBetween(before: number, after: number, isTrue: (number: number) => boolean): number {
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isTrue(middle)) high = middle;
    else low = middle;
  }
  return high;
}
