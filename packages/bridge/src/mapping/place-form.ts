import { form } from '@granary/contract/input/text-schemas';
import { sentence } from '@granary/contract/sentences/codes';
import { type TProperties, Type } from 'typebox';
import type { Point } from './mapping.ts';
import type { RawValue } from './value.ts';

/** Returns the schema of a text with this pattern; the description completes "must be …". */
export const patternText = (pattern: string, description: string) =>
  Type.String({ pattern, ...form(sentence('this_value', { value: description })) });

/** The fields of one part of a file, which a schema has accepted. */
export type Fields = Readonly<Record<string, unknown>>;
/** Reports that a field of this part is wrong. */
export type Report = (field: string, message: string) => void;

/** The part of a protocol in the form of a mapping file: the place of a point, and how the device is asked. */
export interface PlaceForm<Place, Settings> {
  /** The fields of a point in addition to those of every protocol. */
  readonly point: TProperties;
  readonly defaults: TProperties;
  /** The fields with which an example gives input to the decoder. */
  readonly example: TProperties;
  settings(defaults: Fields, fault: Report): Settings;
  /** `index` counts the repetitions of a point, from 0. */
  place(point: Fields, defaults: Fields, index: number, fault: Report): Place;
  /** Returns whether conditions may test the bits of the value. */
  isWholeNumber(place: Place): boolean;
  /** Returns whether the value is a text, which needs a table to become a number. */
  isText(place: Place): boolean;
  /** Returns the raw value of each point in an example. */
  rawValues(given: Fields, points: readonly Point<Place>[], defaults: Fields): ReadonlyMap<string, RawValue>;
}
