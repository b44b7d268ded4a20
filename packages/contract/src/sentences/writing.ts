import { capitalized, filled, type Message } from '@granary/words/message';
import { SENTENCES } from './codes.ts';
import type { KindsOfValues, Place, Quantity, Sentence } from './sentence.ts';

/** How values are written for one reader. */
export interface Reader {
  readonly language: string;
  readonly sentences: Readonly<Record<string, Message>>;
  readonly words: Readonly<Record<string, Readonly<Record<string, string>>>>;
  number(value: number): string;
  waypoint(index: number): string;
  percent(value: number): string;
  time(timestamp: string): string;
  date(date: string): string;
  duration(seconds: number): string;
  quantity(quantity: Quantity): string;
  mass(kg: number): string;
  temperature(celsius: number): string;
  warming(celsius: number): string;
  place(place: Place): string;
  sensor(id: string): string;
  mission(name: string): string;
  names(names: readonly string[]): string;
  /** The word between alternatives. */
  readonly or: string;
}

/** A code name, such as that of a sensor or a status, as words. */
export const inWords = (code: string): string => code.replaceAll(/[_\s]+/g, ' ').trim();

/** The name of a mission, with `word` before it unless the name begins with it or with `mission`. */
export const missionText = (name: string, word = 'Mission'): string =>
  ['mission', word.toLowerCase()].some((one) => name.toLowerCase().startsWith(one))
    ? capitalized(name)
    : `${word} ${name}`;

const KINDS_OF_CODES: Readonly<Record<string, KindsOfValues>> = SENTENCES;

/** The sentence in the language of the reader; `null` if the code is not known there, or a value does not fit its kind. */
export function written({ code, values }: Sentence, reader: Reader): string | null {
  const message = Object.hasOwn(reader.sentences, code) ? reader.sentences[code] : undefined;
  const kinds = Object.hasOwn(KINDS_OF_CODES, code) ? KINDS_OF_CODES[code] : undefined;
  if (message === undefined || kinds === undefined) return null;
  return filled(
    message,
    {
      value: (name) => values[name],
      text: (name) => valueText(kinds[name]?.replace('?', '') ?? '', values[name], reader),
    },
    reader.language,
  );
}

function valueText(kind: string, value: unknown, reader: Reader): string | null {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? value : null;
    case 'sensor':
    case 'mission':
    case 'time':
    case 'date':
      return typeof value === 'string' ? reader[kind](value) : null;
    case 'number':
    case 'waypoint':
    case 'percent':
    case 'duration':
    case 'mass':
    case 'temperature':
    case 'warming':
      return typeof value === 'number' ? reader[kind](value) : null;
    case 'change':
      return typeof value === 'number'
        ? `${reader.number(Math.abs(value))} % ${reader.words['comparison']?.[value < 0 ? 'less' : 'more'] ?? ''}`
        : null;
    case 'weekdays':
      return typeof value === 'string'
        ? reader.names(value.split(',').map((day) => reader.words['weekday']?.[day] ?? day))
        : null;
    case 'quantity':
      return isObject(value) && typeof value['value'] === 'number' && typeof value['unit'] === 'string'
        ? reader.quantity({ value: value['value'], unit: value['unit'] })
        : null;
    case 'place':
      return isObject(value) &&
        typeof value['latitude'] === 'number' &&
        typeof value['longitude'] === 'number'
        ? reader.place({ latitude: value['latitude'], longitude: value['longitude'] })
        : null;
    case 'names':
      return isListOf(value, (one) => typeof one === 'string') ? reader.names(value) : null;
    case 'part':
      return isSentence(value) ? written(value, reader) : null;
    case 'list':
      return isListOf(value, isSentence) ? listText(value, ', ', reader) : null;
    case 'clauses':
      return isListOf(value, isSentence) ? listText(value, '; ', reader) : null;
    case 'alternatives':
      return isListOf(value, isSentence) ? listText(value, reader.or, reader) : null;
    default:
      return typeof value === 'string' ? (reader.words[kind]?.[value] ?? null) : null;
  }
}

function listText(sentences: readonly Sentence[], separator: string, reader: Reader): string | null {
  const texts = sentences.map((one) => written(one, reader));
  return texts.includes(null) ? null : texts.join(separator);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isSentence = (value: unknown): value is Sentence =>
  isObject(value) && typeof value['code'] === 'string' && isObject(value['values']);

const isListOf = <One>(value: unknown, is: (one: unknown) => one is One): value is readonly One[] =>
  Array.isArray(value) && value.every(is);
