import { instantOf, localMs } from '@granary/common/time-zone';

/** A moment as forms hold it: a minute of UTC, so that a zone that becomes known later does not shift it. */
export const minuteOf = (timeMs: number): string => `${new Date(timeMs).toISOString().slice(0, 16)}Z`;

/** A moment as its field shows it, in the time zone. A text that is not a time stays as it is. */
export function shownTime(text: string, timeZone: string): string {
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? text : new Date(localMs(timeMs, timeZone)).toISOString().slice(0, 16);
}

/** The moment that a person means by a text of the field. */
export function meantTime(shown: string, timeZone: string): string {
  const local = Date.parse(`${shown}Z`);
  return Number.isNaN(local) ? shown : minuteOf(instantOf(local, timeZone));
}
