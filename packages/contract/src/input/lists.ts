import { Type } from 'typebox';
import type { Checker, ValidationIssue } from './schema.ts';
import { pointerName } from './validation-issues.ts';

const LIST_CHARS_MAX = 8_000;

/** Several entries in one parameter of a query, separated by commas. */
export const List = Type.String({ minLength: 1, maxLength: LIST_CHARS_MAX });

/** The different entries of a list of a query; `null` when it is not given. */
export const listOf = (list: string | undefined): readonly string[] | null =>
  list === undefined ? null : [...new Set(list.split(','))];

/** Each entry is checked, because one pattern for a whole list could not name the wrong entry. */
export interface ListRule {
  readonly field: string;
  readonly isEntry: (entry: string) => boolean;
  /** Such as "device ids". */
  readonly entries: string;
  /** The allowed entries, where they can be listed. */
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
