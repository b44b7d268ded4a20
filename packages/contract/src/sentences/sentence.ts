import type { WORDS } from './words.ts';

/**
 * What people are told is a code with values; each language has a message for every code, in the catalogues of `@granary/words`.
 * A code is declared with the kinds of its values. A kind that ends with `?` is that of a value that may be missing.
 */
export interface Sentence<Code extends string = string> {
  readonly code: Code;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The kinds of the values of a code, by their names. */
export type KindsOfValues = Readonly<Record<string, string>>;

export interface Quantity {
  readonly value: number;
  readonly unit: string;
}

export interface Place {
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
    ? (typeof WORDS)[Kind][number]
    : never;

/** The values that a code needs. */
export type ValuesOf<Of extends KindsOfValues> = {
  readonly [Name in keyof Of as Of[Name] extends `${string}?` ? never : Name]: ValueOf<Of[Name]>;
} & {
  readonly [Name in keyof Of as Of[Name] extends `${string}?`
    ? Name
    : never]?: Of[Name] extends `${infer Kind}?` ? ValueOf<Kind> | null : never;
};
