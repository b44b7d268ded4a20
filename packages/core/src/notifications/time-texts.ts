import { localMs } from '@granary/common/time-zone';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';

/** A time for a person, such as `2026-11-15 22:10 (Europe/Berlin)`. */
export function timeText(instantMs: number, timeZone: string): string {
  const local = new Date(localMs(instantMs, timeZone)).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 16)} (${timeZone})`;
}

const ISO_TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of the service, with the times in it in this zone. */
export const withLocalTimes = (sentence: string, timeZone: string): string =>
  sentence.replace(ISO_TIMES, (time) =>
    Number.isNaN(Date.parse(time)) ? time : timeText(Date.parse(time), timeZone),
  );

/** How long ago something was, in its largest unit. */
export function agoText(ms: number): string {
  const units = [
    [DAY_MS, 'day'],
    [HOUR_MS, 'hour'],
    [MINUTE_MS, 'minute'],
  ] as const;
  const unit = units.find(([size]) => ms >= size);
  if (unit === undefined) return 'just now';
  const count = Math.floor(ms / unit[0]);
  return `${count} ${unit[1]}${count === 1 ? '' : 's'} ago`;
}
