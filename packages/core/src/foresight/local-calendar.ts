import { type TimeZone, timeZone } from '@granary/common/time-zone';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';

/**
 * The local days of a range as numbers, so that the silos of one site share the slow look-ups of a time zone. The number of
 * a day is that of its date: days since 1970-01-01.
 */
export interface LocalCalendar {
  readonly timeZone: string;
  readonly firstDay: number;
  /** The start of each day from `firstDay` on, and the end of the last one. */
  readonly startsMs: readonly number[];
}

/** `null` if there is no time zone of this name. */
export function localCalendar(zoneName: string, fromMs: number, toMs: number): LocalCalendar | null {
  const zone = timeZone(zoneName);
  return zone === null ? null : calendarOf(zone, fromMs, toMs);
}

function calendarOf(zone: TimeZone, fromMs: number, toMs: number): LocalCalendar {
  const startsMs: number[] = [];
  let startMs = zone.dayStartOf(fromMs);
  const firstDay = Date.parse(zone.dateAt(startMs)) / DAY_MS;
  let day = firstDay;
  while (startMs <= toMs) {
    startsMs.push(startMs);
    startMs = zone.nextDayStart(startMs);
    day += 1;
    // A date that a zone has skipped is a day without a duration.
    while (day < Date.parse(zone.dateAt(startMs)) / DAY_MS) {
      startsMs.push(startMs);
      day += 1;
    }
  }
  startsMs.push(startMs);
  return { timeZone: zone.name, firstDay, startsMs };
}

/** The day that contains the time; the first or last one of the calendar for a time outside of it. */
export function dayAt(calendar: LocalCalendar, timeMs: number): number {
  const { firstDay, startsMs } = calendar;
  let [low, high] = [0, startsMs.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((startsMs[middle] ?? 0) <= timeMs) low = middle;
    else high = middle;
  }
  return firstDay + low;
}

/** Outside of the calendar every day has 24 hours. */
export function startOfDay(calendar: LocalCalendar, day: number): number {
  const { firstDay, startsMs } = calendar;
  const index = day - firstDay;
  const last = startsMs.length - 1;
  const known = startsMs[Math.min(Math.max(index, 0), last)] ?? 0;
  if (index < 0) return known + index * DAY_MS;
  return index > last ? known + (index - last) * DAY_MS : known;
}

/** The hours since the day began; a day of 23 or 25 hours is scaled to 24. */
export function hourOfDay(calendar: LocalCalendar, day: number, timeMs: number): number {
  const startMs = startOfDay(calendar, day);
  const lengthMs = startOfDay(calendar, day + 1) - startMs;
  return lengthMs <= 0 ? 0 : Math.min(Math.max(((timeMs - startMs) / lengthMs) * 24, 0), 24);
}

/** The time at which this many of the 24 hours of a day have passed. */
export function timeOfHour(calendar: LocalCalendar, day: number, hour: number): number {
  const startMs = startOfDay(calendar, day);
  return startMs + ((startOfDay(calendar, day + 1) - startMs) * hour) / 24;
}

/** The number of the weekday; Monday is 0. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;

export const HOURS_PER_DAY = DAY_MS / HOUR_MS;
