import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';

/** More zones than a deployment uses; creating a formatter takes longer than its use. */
const FORMATTERS_MAX = 64;
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const created = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  if (formatters.size >= FORMATTERS_MAX) formatters.clear();
  formatters.set(timeZone, created);
  return created;
}

export function isTimeZone(name: string): boolean {
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The local date and time of an instant, as if it were UTC. */
export function localMs(instantMs: number, timeZone: string): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return (
    Date.UTC(year, month - 1, day, hour, minute, second) + (((instantMs % SECOND_MS) + SECOND_MS) % SECOND_MS)
  );
}

/**
 * The first instant with this local time. A local time that the clocks skip means the instant at which they are put
 * forward.
 */
export function instantOf(local: number, timeZone: string): number {
  // No zone is further from UTC than a day, and its offset changes at most once around one night.
  const offsets = [local - DAY_MS, local + DAY_MS].map(
    (instantMs) => localMs(instantMs, timeZone) - instantMs,
  );
  const candidates = offsets.map((offsetMs) => local - offsetMs).sort((a, b) => a - b);
  const found = candidates.find((instantMs) => localMs(instantMs, timeZone) === local);
  return found ?? changeBetween(candidates, timeZone);
}

/** The instant at which the offset changes, between two instants with different ones. */
function changeBetween([first = 0, last = 0]: readonly number[], timeZone: string): number {
  const offset = (instantMs: number): number => localMs(instantMs, timeZone) - instantMs;
  let before = first;
  let after = last;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle) === offset(first)) before = middle;
    else after = middle;
  }
  return after;
}

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
