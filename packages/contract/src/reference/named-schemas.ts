import type { TSchema } from 'typebox';
import { ErrorAnswer } from '../endpoints/declaration/answers.ts';
import type { Slice } from '../endpoints/declaration/slice.ts';
import { SLICES } from '../endpoints/endpoints.ts';

/** The schemas that have a name in the references; every other one is written where it is used. */
export const NAMED_SCHEMAS: Readonly<Record<string, TSchema>> = Object.assign(
  { Error: ErrorAnswer },
  ...Object.values<Slice>(SLICES).map(({ schemas }) => schemas),
);
