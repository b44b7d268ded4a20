import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { sentence } from '../sentences/codes.ts';
import { findIssues, issueOf, pointerName, type ValidationIssue } from './validation-issues.ts';

const LIST_CHARS_MAX = 8_000;

/** Several entries in one query parameter, separated by commas. */
export const List = Type.String({ minLength: 1, maxLength: LIST_CHARS_MAX });

/** The different entries of a list in a query; `null` if the list is not given. */
export const listOf = (list: string | undefined): readonly string[] | null =>
  list === undefined ? null : [...new Set(list.split(','))];

/** Each entry is checked, because one pattern for a whole list could not name the wrong entry. */
export interface ListRule {
  readonly field: string;
  readonly isEntry: (entry: string) => boolean;
  /** The noun for the entries, such as "device ids". */
  readonly entries: string;
  /** The allowed entries, if they can be listed. */
  readonly allowed?: readonly string[];
}

/** A checker of a query that has lists. */
export function withLists<Query extends object>(
  fields: Checker<Query>,
  rules: readonly ListRule[],
): Checker<Query> {
  const listFaults = (query: Query): ValidationIssue[] =>
    rules.flatMap((rule) =>
      faultsOf(rule, (query as Readonly<Record<string, string | undefined>>)[rule.field]),
    );
  return {
    schema: fields.schema,
    accepts: (value): value is Query => fields.accepts(value) && listFaults(value).length === 0,
    faults: (value) => (fields.accepts(value) ? listFaults(value) : fields.faults(value)),
  };
}

function faultsOf(
  { field, isEntry, entries, allowed = [] }: ListRule,
  list: string | undefined,
): ValidationIssue[] {
  const wrong = listOf(list)?.find((entry) => !isEntry(entry));
  if (wrong === undefined) return [];
  const ofThese = allowed.length === 0 ? '' : ` of ${allowed.join(', ')}`;
  const message = `must be ${entries}, separated by commas; "${pointerName(wrong)}" is none${ofThese}`;
  return [{ path: `/${field}`, message }];
}

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
 * Adds the meaning of a value for the references. `description` cannot hold it, because it completes the sentence "must be
 * …" in refusals.
 */
export const described = <Schema extends TSchema>(meaning: string, schema: Schema): Schema =>
  Object.defineProperties(
    {},
    {
      // The schema library stores its own data in properties that a spread would lose.
      ...Object.getOwnPropertyDescriptors(schema),
      'x-meaning': { value: meaning, enumerable: true },
    },
  ) as Schema;
