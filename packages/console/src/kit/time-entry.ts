import { dayAs, monthNames, timeAs } from '@granary/common/time-text';

/** The kind of a field. Its value is written as in a field of the browser, without a zone. */
export type TimeKind = 'date' | 'time' | 'dateTime';

/** Longer texts are not read; no time of a form is that long. */
const CHARS_MAX = 60;
/** The number of letters from which the beginning of a month's name is recognised. */
const LETTERS_MIN = 3;
const CENTURY = 2_000;

const CLOCK = /^(\d{1,2})(?:\s*[:.h]\s*(\d{2}))?(?::\d{2})?\s*(?:([ap])\s*\.?\s*m\.?)?\s*(?:h|uhr)?$/;
const DATE_AND_CLOCK =
  /^(.*?\d)(?:t|[,\s]+(?:(?:at|um|om|à|o|a las)\s+)?)(\d{1,2}\s*[:.h]\s*\d{2}.*|\d{1,2}\s*(?:[ap][\s.]*m\.?|uhr|h))$/;
const WITH_DIGITS = /^(\d{1,2})\s*([./-])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})$/;
const ISO_DAY = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const DAY_FIRST = /^(\d{1,2})(?:er)?\.?\s*(?:de\s+)?([^\W\d_]+)\.?,?\s*(?:de\s+)?(\d{4})$/;
const MONTH_FIRST = /^([^\W\d_]+)\.?\s*(\d{1,2}),?\s*(\d{4})$/;

/**
 * Every time that a text can mean, that of the page first. An empty result means that the text is not a time; `3/4/2026` has
 * two, in March and in April.
 */
export function timesIn(text: string, kind: TimeKind, language: string): readonly string[] {
  const plain = inPlainLetters(text);
  if (plain.length > CHARS_MAX) return [];
  if (kind === 'date') return daysIn(plain, language);
  if (kind === 'time') return clockIn(plain);
  const [, day = '', clock = ''] = DATE_AND_CLOCK.exec(plain) ?? [];
  return daysIn(day, language).flatMap((one) => clockIn(clock).map((time) => `${one}T${time}`));
}

/** A time as a field shows it and as the page writes it: with the name of the month, so that it has only one meaning. */
export function timeText(value: string, kind: TimeKind, language: string): string {
  if (kind === 'date') return dayAs('date', value, language);
  const [form, time] =
    kind === 'time' ? (['clock', `1970-01-01T${value}`] as const) : (['dateAndMinute', value] as const);
  return timeAs(form, Date.parse(`${time}Z`), language, 'UTC');
}

/** The text in small letters without accents, and with one kind of space. */
const inPlainLetters = (text: string): string =>
  text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replace(/ł/g, 'l').replace(/\s+/g, ' ').trim();

function clockIn(text: string): readonly string[] {
  const [, hours, minutes, half] = CLOCK.exec(text) ?? [];
  if (hours === undefined || (minutes === undefined && half === undefined && !/h|uhr/.test(text))) return [];
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  if (minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return [];
  const ofDay = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  return [`${twoDigits(ofDay)}:${twoDigits(minute)}`];
}

function daysIn(text: string, language: string): readonly string[] {
  const [, isoYear, isoMonth, isoDay] = ISO_DAY.exec(text) ?? [];
  if (isoYear !== undefined) return dayOf(Number(isoYear), Number(isoMonth), Number(isoDay));
  const [, one = '', sign, other = '', yearText = ''] = WITH_DIGITS.exec(text) ?? [];
  if (sign !== undefined) {
    const year = yearText.length === 4 ? Number(yearText) : CENTURY + Number(yearText);
    const dayFirst = dayOf(year, Number(other), Number(one));
    // Dates with dots begin with the day.
    if (sign === '.') return dayFirst;
    const monthFirst = dayOf(year, Number(one), Number(other));
    const beginsWithMonth = /^\p{L}/u.test(dayAs('date', '2026-03-04', language));
    return [...new Set(beginsWithMonth ? monthFirst.concat(dayFirst) : dayFirst.concat(monthFirst))];
  }
  const [, day, name = '', year] = DAY_FIRST.exec(text) ?? [];
  if (day !== undefined) return dayOf(Number(year), monthOf(name, language), Number(day));
  const [, monthName = '', dayAfter, yearAfter] = MONTH_FIRST.exec(text) ?? [];
  return dayOf(Number(yearAfter), monthOf(monthName, language), Number(dayAfter));
}

/** The number of the month whose name begins with these letters; 0 for none, or for several. */
function monthOf(letters: string, language: string): number {
  const found = monthNames(language).flatMap((names, index) => {
    const known = names.map((name) => inPlainLetters(name).replaceAll('.', ''));
    if (known.includes(letters)) return [{ month: index + 1, isWhole: true }];
    const isBeginning = letters.length >= LETTERS_MIN && known.some((name) => name.startsWith(letters));
    return isBeginning ? [{ month: index + 1, isWhole: false }] : [];
  });
  const [month, ...others] = found.some(({ isWhole }) => isWhole)
    ? found.filter(({ isWhole }) => isWhole)
    : found;
  return others.length === 0 ? (month?.month ?? 0) : 0;
}

/** The day as a text; empty for a day that is in no calendar. */
function dayOf(year: number, month: number, day: number): readonly string[] {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= CENTURY / 2;
  return isDay ? [date.toISOString().slice(0, 10)] : [];
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
