import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { findIssues, type ValidationIssue } from './validation-issues.ts';

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
      return faults.length > 0 || validator().Check(value) ? faults : [{ path: '', message: 'is not valid' }];
    },
  };
}
