import type { WORDS } from './words.ts';

/**
 * What people are told is a code with values; each language has a template for every code. In a template `{moved:quantity}` is
 * replaced by the value `moved`, written as a quantity. `{moved:quantity?}` may be missing: then the part in square brackets
 * around it is left out. A kind with a capital letter begins a sentence. `<days:day|days>` is the form for the number `days`, in
 * the order of `Intl.PluralRules`: one, few, many, other, as far as the language tells them apart.
 */
export interface Sentence<Code extends string = string> {
  readonly code: Code;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Quantity {
  readonly value: number;
  readonly unit: string;
}

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** The type of the values of each kind; every list of `WORDS` is a kind, too. */
interface Kinds {
  /** Words of a device or a person, which are not translated. */
  readonly text: string;
  readonly number: number;
  readonly percent: number;
  readonly time: string;
  /** A local day, such as `2026-12-05`. */
  readonly date: string;
  /** A duration in seconds. */
  readonly duration: number;
  /** A mass in kilograms. */
  readonly mass: number;
  /** A temperature in °C. */
  readonly temperature: number;
  /** A difference in °C. */
  readonly warming: number;
  /** A change in per cent; `-3` is "3 % less". */
  readonly change: number;
  /** Weekdays separated by commas; Monday is 0: `5,6`. */
  readonly weekdays: string;
  readonly quantity: Quantity;
  readonly place: Place;
  /** The id of a sensor. */
  readonly sensor: string;
  /** The index of a waypoint, from 0; the page numbers them from 1. */
  readonly waypoint: number;
  /** The name of a mission. */
  readonly mission: string;
  readonly names: readonly string[];
  readonly part: Sentence;
  /** Written with commas between the sentences. */
  readonly list: readonly Sentence[];
  /** Written with semicolons between the sentences. */
  readonly clauses: readonly Sentence[];
  /** One of the sentences must be true. */
  readonly alternatives: readonly Sentence[];
}

type ValueOf<Kind extends string> = Kind extends keyof Kinds
  ? Kinds[Kind]
  : Kind extends keyof typeof WORDS
    ? keyof (typeof WORDS)[Kind]
    : never;

type Placeholders<Template extends string> =
  Template extends `${string}{${infer Name}:${infer Kind}}${infer Rest}`
    ? [name: Name, kind: Kind] | Placeholders<Rest>
    : never;

type Required<Place> = Place extends [string, `${string}?`]
  ? never
  : Place extends [infer Name, string]
    ? Name
    : never;
type Optional<Place> = Place extends [infer Name, `${string}?`] ? Name : never;

/** The values that a template needs. */
export type ValuesOf<Template extends string, Place extends [string, string] = Placeholders<Template>> = {
  readonly [Name in Required<Place> & string]: ValueOf<Uncapitalize<Extract<Place, [Name, string]>[1]>>;
} & {
  readonly [Name in Optional<Place> & string]?: Extract<Place, [Name, string]>[1] extends `${infer Kind}?`
    ? ValueOf<Uncapitalize<Kind>> | null
    : never;
};

/** How values are written for one reader. */
export interface Reader {
  readonly language: string;
  readonly sentences: Readonly<Record<string, string>>;
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

const SECTIONS = /\[([^\]]*)\]|[^[]+/g;
const PLACEHOLDER = /\{(\w+):(\w+)(\?)?\}/g;
const FORMS = /<(\w+):([^<>]*)>/g;
const PLURALS: readonly Intl.LDMLPluralRule[] = ['zero', 'one', 'two', 'few', 'many', 'other'];

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A code name, such as that of a sensor or a status, as words. */
export const inWords = (code: string): string => code.replaceAll(/[_\s]+/g, ' ').trim();

/** The name of a mission, with `word` before it unless the name begins with it or with `mission`. */
export const missionText = (name: string, word = 'Mission'): string =>
  ['mission', word.toLowerCase()].some((one) => name.toLowerCase().startsWith(one))
    ? capitalized(name)
    : `${word} ${name}`;

/** The places of a template at which a value stands, for checks. */
export const placeholdersOf = (template: string) =>
  [...template.matchAll(PLACEHOLDER)].map(([, name = '', kind = '', optional]) => ({
    name,
    kind: kind.charAt(0).toLowerCase() + kind.slice(1),
    isOptional: optional !== undefined,
  }));

/** The places of a template at which a word depends on a number, for checks. */
export const formsOf = (template: string) =>
  [...template.matchAll(FORMS)].map(([, name = '', forms = '']) => ({ name, forms: forms.split('|') }));

const pluralRules = new Map<string, Intl.PluralRules>();

/** The rules of a language for words after a number. They are cached, because making them takes longer than using them. */
export function pluralRulesOf(language: string): Intl.PluralRules {
  const rules = pluralRules.get(language) ?? new Intl.PluralRules(language);
  pluralRules.set(language, rules);
  return rules;
}

/** The last form is for every kind of number that has none of its own. */
function formFor(count: number, forms: readonly string[], language: string): string {
  const rules = pluralRulesOf(language);
  const kinds = PLURALS.filter((kind) => rules.resolvedOptions().pluralCategories.includes(kind));
  return forms[kinds.indexOf(rules.select(count))] ?? forms.at(-1) ?? '';
}

/** The sentence in the language of the reader; `null` if the code is not known there, or a value does not fit the template. */
export function written({ code, values }: Sentence, reader: Reader): string | null {
  const template = Object.hasOwn(reader.sentences, code) ? reader.sentences[code] : undefined;
  if (template === undefined) return null;
  let isComplete = true;
  const filled = (part: string): string =>
    part
      .replace(FORMS, (_, name: string, forms: string) =>
        formFor(Number(values[name]), forms.split('|'), reader.language),
      )
      .replace(PLACEHOLDER, (_, name: string, kind: string) => {
        const text = valueText(kind.charAt(0).toLowerCase() + kind.slice(1), values[name], reader);
        if (text === null) isComplete = false;
        return kind.charAt(0) === kind.charAt(0).toLowerCase() ? (text ?? '') : capitalized(text ?? '');
      });
  const text = template.replace(SECTIONS, (section, optional: string | undefined) => {
    if (optional === undefined) return filled(section);
    const isThere = placeholdersOf(optional).every(({ name }) => (values[name] ?? null) !== null);
    return isThere ? filled(optional) : '';
  });
  return isComplete ? text : null;
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
