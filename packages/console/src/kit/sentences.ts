import { inWords, missionText, type Reader, written } from '@granary/contract/sentences/writing';
import { capitalized } from '@granary/words/message';
import { pageZone } from '../context/page-zone.ts';
import { shownAs } from '../context/units.ts';
import { language, locale, messages, texts } from '../texts.ts';
import {
  formatDate,
  formatDated,
  formatDuration,
  formatMass,
  formatNumber,
  formatQuantity,
  formatTime,
  otherZone,
  unitSymbol,
} from './format.ts';

const DEGREE_DECIMALS = 5;
/** Smaller masses are written with decimals of a kilogram. */
const SMALL_KG = 10;

const tenths = (value: number): number => Math.round(value * 10) / 10;

/** The form in which the viewer reads values: language, digits of their country, and time zone. */
function reader(timeZone?: string): Reader {
  const place = locale.value;
  const number = (value: number, maximumFractionDigits: number): string =>
    formatNumber(value, maximumFractionDigits, place, 0);
  const sensors: Readonly<Record<string, string>> = texts.value.common.sensors;
  return {
    sentences: messages.value.sentences,
    words: messages.value.words,
    language: language.value,
    number: (value) => number(value, 3),
    waypoint: (index) => number(index + 1, 0),
    percent: (value) => `${number(value, 1)} %`,
    time: (timestamp) => timeText(timestamp, Date.now(), timeZone),
    date: (day) => formatDate(day, place),
    duration: (seconds) => formatDuration(seconds * 1_000),
    quantity: ({ value, unit }) => formatQuantity(value, unit, place),
    mass: (kg) => (Math.abs(kg) < SMALL_KG ? formatQuantity(tenths(kg), 'kg', place) : formatMass(kg, place)),
    temperature: (celsius) => formatQuantity(celsius, 'celsius', place),
    warming: (celsius) => {
      const { unit, toShown } = shownAs('celsius', null);
      return `${number(toShown(celsius) - toShown(0), 3)}\u00a0${unitSymbol(unit)}`;
    },
    place: ({ latitude, longitude }) =>
      [latitude, longitude].map((angle) => formatNumber(angle, DEGREE_DECIMALS, place)).join('; '),
    sensor: (id) => withinSentence(sensors[id] ?? inWords(id)),
    mission: (name) => missionText(name, texts.value.missions.unnamed),
    names: (names) => new Intl.ListFormat(place).format(names),
    or: ` ${texts.value.common.or} `,
  };
}

/** A name as it stands within a sentence: only German writes a noun there with a capital letter. */
export const withinSentence = (name: string): string =>
  language.value === 'de' ? name : name.charAt(0).toLowerCase() + name.slice(1);

/** A time in a sentence, with the place of its time zone if that differs from the viewer's. */
export function timeText(
  timestamp: string | number,
  nowMs: number = Date.now(),
  timeZone: string = pageZone.value,
): string {
  const text = formatTime(timestamp, nowMs, locale.value, timeZone);
  const zone = otherZone(timeZone, new Date(timestamp).getTime());
  return zone === null ? text : texts.value.common.inZone({ text, place: zone });
}

/** A time with its date, even if that is today. */
export function datedText(timestamp: string | number, timeZone: string = pageZone.value): string {
  const text = formatDated(timestamp, locale.value, timeZone);
  const zone = otherZone(timeZone, new Date(timestamp).getTime());
  return zone === null ? text : texts.value.common.inZone({ text, place: zone });
}

type Values = Readonly<Record<string, unknown>>;

/** The text of a code. A newer service can have codes that the page does not know; then its English text is shown. */
const textOf = (code: string | undefined, values: Values | undefined, english: string): string =>
  joined((code === undefined ? null : written({ code, values: values ?? {} }, reader())) ?? english);

/** Keeps a number and its unit on one line. */
const joined = (text: string): string =>
  text.replace(/(?<=\d) (?=(?:%|kg|t|lb|sh tn|bu|°C|°F|s|min|h|d|m|km)(?![\p{L}\d]))/gu, '\u00a0');

interface WithMessage {
  readonly message: string;
  readonly message_code?: string | undefined;
  readonly message_values?: Values | undefined;
}

/** The message of an alert or a refusal, or why a job ended. */
export const messageText = ({ message, message_code, message_values }: WithMessage): string =>
  textOf(message_code, message_values, message);

interface WithStatus {
  readonly status_detail: string;
  readonly status_code?: string;
  readonly status_values?: Values;
}

/** The status of a job in words. */
export const statusText = ({ status_detail, status_code, status_values }: WithStatus): string =>
  textOf(status_code, status_values, status_detail);

interface WithDetail {
  readonly detail: string;
  readonly detail_code?: string;
  readonly detail_values?: Values;
}

/** A step of a trace in words. */
export const detailText = ({ detail, detail_code, detail_values }: WithDetail): string =>
  textOf(detail_code, detail_values, detail);

interface WithText {
  readonly text: string;
  readonly code: string;
  readonly values: Values;
}

/** A reason of a forecast or a finding about a silo in words, with times in the time zone of the silo. */
export const reasonText = ({ text, code, values }: WithText, timeZone?: string): string =>
  written({ code, values }, reader(timeZone)) ?? text;

/** The name of a change, from the name of its endpoint; an unknown name is shown as it is. */
export function actionText(action: string): string {
  const words: Readonly<Record<string, string>> = texts.value.audit.actions;
  return words[action.replace(/\.(silo|field)\./, '.')] ?? action;
}

interface Fault extends WithMessage {
  readonly path: string;
}

export interface Refused extends WithMessage {
  readonly code: string;
  readonly details?: readonly Fault[] | undefined;
}

/** The fault of a field, in words that follow its name. */
export const faultText = ({ message, message_code, message_values }: WithMessage): string =>
  textOf(message_code, message_values, message);

/** The name of a field: `/targets/0/url` is the first target's address. */
function fieldText(path: string): string {
  const names: Readonly<Record<string, string>> = texts.value.common.fields;
  return path
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : (names[part] ?? inWords(part))))
    .join(' ');
}

/** What a person can do about a refusal, if its sentence does not say it already; `null` otherwise. */
export function cureText({ code, message_code }: Pick<Refused, 'code' | 'message_code'>): string | null {
  const cures: Readonly<Record<string, string>> = texts.value.cures;
  return cures[message_code ?? code] ?? (message_code === undefined ? null : (cures[code] ?? null));
}

/** The reason of a refusal as a whole sentence. A refusal without a code of its own is described by its error code and its fields. */
export function refusalText({ code, message, message_code, message_values, details = [] }: Refused): string {
  const told =
    message_code === undefined
      ? null
      : written({ code: message_code, values: message_values ?? {} }, reader());
  if (told !== null) return joined(`${capitalized(told)}.`);
  // The service writes English itself, and says more about the single case.
  const ofCode = language.value === 'en' ? undefined : messages.value.errors[code];
  const fields = details.map((fault) => {
    // Only programs cause a fault without a code, so its English text is left out.
    const isRead = ofCode === undefined || fault.message_code !== undefined;
    return `${fieldText(fault.path)}${isRead ? ` ${faultText(fault)}` : ''}`.trim();
  });
  return `${capitalized(ofCode ?? message)}${fields.length === 0 ? '' : `: ${fields.join('; ')}`}.`;
}
