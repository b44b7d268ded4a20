import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { BoundedMap } from './bounded-map.ts';
import { localMs } from './time-zone.ts';

/**
 * The limit of formatters: the languages times the forms times the zones that a process uses at once. Creating a formatter
 * takes longer than using it.
 */
const FORMATS_MAX = 256;
const EXACT_BELOW_MS = 2 * DAY_MS;
const HALF_DAYS_BELOW_MS = 5 * DAY_MS;
const NOON_H = 12;

const formats = new BoundedMap<string, Intl.DateTimeFormat>(FORMATS_MAX);

/** Times for people are formatted in this file only, so that page, report, message and command line cannot differ. */
type TimeForm = Intl.DateTimeFormatOptions & { readonly timeZone: string };

function formatOf(language: string, form: TimeForm): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(form)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const created = new Intl.DateTimeFormat(language, form);
  formats.set(key, created);
  return created;
}

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const CLOCK_OF_24_HOURS = { ...CLOCK, hourCycle: 'h23' } as const;

const FORMS = {
  /** `10:05` or `10:05 AM` */
  clock: CLOCK,
  /** `10:05` in every language, for axes. */
  clock24: CLOCK_OF_24_HOURS,
  /** `10:05 GMT+1` */
  clockOfZone: { ...CLOCK, timeZoneName: 'short' },
  second: { ...CLOCK, second: '2-digit' },
  dayAndSecond: { year: 'numeric', month: 'short', day: 'numeric', ...CLOCK, second: '2-digit' },
  /** `Nov 19, 2026, 10:05 AM`, as a field shows it. */
  dateAndMinute: { year: 'numeric', month: 'short', day: 'numeric', ...CLOCK },
  dayAndMinute: { day: 'numeric', month: 'short', ...CLOCK },
  /** `Thu, 19 Nov, 10:05`, for what is read on another day. */
  weekdayAndMinute: { weekday: 'short', day: 'numeric', month: 'short', ...CLOCK },
  weekday: { weekday: 'short' },
  weekdayAndDay: { weekday: 'short', day: 'numeric' },
  weekdayAndDate: { weekday: 'short', day: 'numeric', month: 'short' },
  day: { day: 'numeric', month: 'short' },
  date: { year: 'numeric', month: 'short', day: 'numeric' },
  longDate: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  month: { month: 'short', year: '2-digit' },
  longMonth: { month: 'long', year: 'numeric' },
  year: { year: 'numeric' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

/** Returns a time in the time zone, in a language. */
export const timeAs = (
  form: keyof typeof FORMS,
  timeMs: number,
  language: string,
  timeZone: string,
): string => formatOf(language, { ...FORMS[form], timeZone }).format(timeMs);

/** A local day, which has no time zone, such as `2026-11-19`. */
export const dayAs = (form: keyof typeof FORMS, day: string, language: string): string =>
  timeAs(form, Date.parse(day), language, 'UTC');

const MONTHS_PER_YEAR = 12;

/** Returns the names of each month in a language: short and long, alone and in a date. */
export function monthNames(language: string): readonly (readonly string[])[] {
  return Array.from({ length: MONTHS_PER_YEAR }, (_, month) =>
    (['date', 'longDate', 'longMonth'] as const).flatMap((form) =>
      formatOf(language, { ...FORMS[form], timeZone: 'UTC' })
        .formatToParts(Date.UTC(2026, month, 1))
        .filter(({ type }) => type === 'month')
        .map(({ value }) => value),
    ),
  );
}

/** Returns the time to the minute in the form of ISO 8601: `2026-11-15 08:30`. */
export const numericTime = (timeMs: number, timeZone: string): string =>
  new Date(localMs(timeMs, timeZone)).toISOString().slice(0, 16).replace('T', ' ');

/** Returns the time zone of this process, terminal or browser. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns whether clocks in two zones show different times. */
export const areOtherClocks = (timeZone: string, other: string, atMs: number): boolean =>
  localMs(atMs, timeZone) !== localMs(atMs, other);

/** Returns the place after which a zone is named: `Berlin` for `Europe/Berlin`. */
export const placeOfZone = (timeZone: string): string =>
  timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ');

interface Reader {
  readonly nowMs: number;
  readonly language: string;
  readonly timeZone: string;
  readonly halfDays: { readonly morning: string; readonly afternoon: string };
}

/** Returns a time in the future, rounded by its distance to the hour, to half a day or to the day. */
export function timeAhead(timeMs: number, { nowMs, language, timeZone, halfDays }: Reader): string {
  const aheadMs = timeMs - nowMs;
  if (aheadMs < EXACT_BELOW_MS) {
    const offsetMs = localMs(timeMs, timeZone) - timeMs;
    const hourMs = Math.round((timeMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
    return `${timeAs('weekday', hourMs, language, timeZone)} ${timeAs('clock', hourMs, language, timeZone)}`;
  }
  if (aheadMs >= HALF_DAYS_BELOW_MS) return timeAs('weekdayAndDate', timeMs, language, timeZone);
  const half = new Date(localMs(timeMs, timeZone)).getUTCHours() < NOON_H ? 'morning' : 'afternoon';
  return `${timeAs('weekday', timeMs, language, timeZone)} ${halfDays[half]}`;
}
