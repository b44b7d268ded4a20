import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { sentence } from '../sentences/english.ts';
import { findIssues, issueOf, type ValidationIssue } from './validation-issues.ts';

export type { ValidationIssue } from './validation-issues.ts';

/** A validator of a schema; it is compiled at first use, so that the start compiles only what is needed. */
export interface Checker<Value> {
  readonly schema: TSchema;
  accepts(value: unknown): value is Value;
  faults(value: unknown): ValidationIssue[];
}

export function checker<T extends TSchema>(schema: T): Checker<Static<T>> {
  let compiled: Validator | undefined;
  const validator = () => {
    compiled ??= Compile(schema);
    return compiled;
  };
  return {
    schema,
    accepts: (value): value is Static<T> => validator().Check(value),
    faults: (value) => {
      const faults = findIssues(schema, value);
      return faults.length > 0 || validator().Check(value) ? faults : [issueOf('', sentence('is_not_valid'))];
    },
  };
}

/** An object schema that refuses unknown fields. */
export function closed<P extends Parameters<typeof Type.Object>[0]>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

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
