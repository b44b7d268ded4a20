import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';

/** No local time is further from UTC. */
const OFFSET_MS_MAX = 15 * HOUR_MS;
/** A change of the offset lasts longer than this. */
const SAMPLED_EVERY_MS = 30 * DAY_MS;
/** The time by which a day is looked for: a day that the clocks skip is followed by the next one. */
const DAYS_SEARCHED_MS = 3 * DAY_MS;

/** The days of a time zone, of which two in a year may be longer or shorter. */
export interface TimeZone {
  readonly name: string;
  /** The start of the day that contains the time. */
  dayStartOf(timeMs: number): number;
  /** The first start of a day at this time or later. */
  dayStartFrom(timeMs: number): number;
  /** The start of the day after the one that contains the time. */
  nextDayStart(timeMs: number): number;
  /** The date there, such as `2026-03-29`. */
  dateAt(timeMs: number): string;
  /** Every hour of the range begins with an hour of UTC. */
  hasWholeHours(fromMs: number, toMs: number): boolean;
}

/** `null` if there is no time zone of this name. */
export function timeZone(name: string): TimeZone | null {
  const localTime = localTimeIn(name);
  if (localTime === null) return null;
  const dayOf = (timeMs: number): number => Math.floor(localTime(timeMs) / DAY_MS);

  /** The first minute of a later day than `day`, if the day of `late` is one and that of `early` is not. */
  const changeBetween = (early: number, late: number, day: number): number => {
    let [before, after] = [Math.floor(early / MINUTE_MS), Math.floor(late / MINUTE_MS)];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (dayOf(middle * MINUTE_MS) > day) after = middle;
      else before = middle;
    }
    return after * MINUTE_MS;
  };

  const dayStartOf = (timeMs: number): number =>
    changeBetween(timeMs - DAYS_SEARCHED_MS, timeMs, dayOf(timeMs) - 1);

  const nextDayStart = (timeMs: number): number => {
    const day = dayOf(timeMs);
    // Nearly every day ends 24 hours after it began, which two look-ups show.
    const usual = timeMs + DAY_MS;
    if (dayOf(usual) === day + 1 && dayOf(usual - MINUTE_MS) === day) return usual - (usual % MINUTE_MS);
    return changeBetween(timeMs, timeMs + DAYS_SEARCHED_MS, day);
  };

  return {
    name,
    dayStartOf,
    nextDayStart,
    dayStartFrom: (timeMs) => (dayStartOf(timeMs) === timeMs ? timeMs : nextDayStart(timeMs)),
    dateAt: (timeMs) => new Date(localTime(timeMs)).toISOString().slice(0, 10),
    hasWholeHours(fromMs, toMs) {
      for (let timeMs = fromMs; timeMs < toMs; timeMs += SAMPLED_EVERY_MS) {
        if (!isWholeHours(localTime(timeMs) - timeMs)) return false;
      }
      return isWholeHours(localTime(toMs) - toMs);
    },
  };
}

const isWholeHours = (offsetMs: number): boolean => offsetMs % HOUR_MS === 0;

/** What a clock there shows, as if it were UTC. */
function localTimeIn(name: string): ((timeMs: number) => number) | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
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
  } catch {
    return null;
  }
  return (timeMs) => {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(timeMs)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const local = Date.UTC(year, month - 1, day, hour, minute, second) + millisecondOf(timeMs);
    // Years before 100 and before the common era are read wrong; no reading is that old.
    return Math.abs(local - timeMs) <= OFFSET_MS_MAX ? local : timeMs;
  };
}

const millisecondOf = (timeMs: number): number => ((timeMs % 1_000) + 1_000) % 1_000;
