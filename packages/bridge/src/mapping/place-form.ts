import { form } from '@granary/contract/input/text-schemas';
import { sentence } from '@granary/contract/sentences/english';
import { type TProperties, Type } from 'typebox';
import type { Point } from './mapping.ts';
import type { RawValue } from './value.ts';

/** A text of this form; the description completes "must be …". */
export const patternText = (pattern: string, description: string) =>
  Type.String({ pattern, ...form(sentence('this_value', { value: description })) });

/** The fields of one part of a file, which a schema has accepted. */
export type Fields = Readonly<Record<string, unknown>>;
/** Reports that a field of this part is wrong. */
export type Report = (field: string, message: string) => void;

/** What a protocol adds to the form of a mapping file: where a point is found, and how the device is asked. */
export interface PlaceForm<Place, Settings> {
  /** The fields of a point beside those of every protocol. */
  readonly point: TProperties;
  readonly defaults: TProperties;
  /** What an example of the file gives to the decoder. */
  readonly example: TProperties;
  settings(defaults: Fields, fault: Report): Settings;
  /** `index` counts the repetitions of a point, from 0. */
  place(point: Fields, defaults: Fields, index: number, fault: Report): Place;
  /** Whether its bits can be looked at. */
  isWholeNumber(place: Place): boolean;
  /** Whether it is no number without a table. */
  isText(place: Place): boolean;
  /** What the device of an example says about each point. */
  rawValues(given: Fields, points: readonly Point<Place>[], defaults: Fields): ReadonlyMap<string, RawValue>;
}
