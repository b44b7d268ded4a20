import type { TSchema } from 'typebox';

/**
 * Says what a value means, for the references. `description` is not used, because it completes the sentence "must be …" in
 * refusals.
 */
export const described = <Schema extends TSchema>(meaning: string, schema: Schema): Schema =>
  Object.defineProperties(
    {},
    {
      // The library keeps what it knows of a schema in properties that a spread would lose.
      ...Object.getOwnPropertyDescriptors(schema),
      'x-meaning': { value: meaning, enumerable: true },
    },
  ) as Schema;
