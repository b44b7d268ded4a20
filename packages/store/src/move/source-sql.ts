import type { Column, ColumnKind, CopiedTable, Range } from './copied-table.ts';
import { conditionOf, namesOf } from './copied-table.ts';

/** SQLite makes a text of nothing, too. */
const unlessNull = (name: string, text: string): string => `CASE WHEN ${name} IS NOT NULL THEN ${text} END`;

/**
 * One element of an array in the text form of PostgreSQL. SQLite makes the text of a whole column itself, because whole numbers of
 * 64 bits do not fit a JavaScript number, and because no value has to become a value of this language.
 */
const ARRAY_ELEMENT: Readonly<Record<ColumnKind, (name: string) => string>> = {
  whole: (name) => name,
  real: (name) => unlessNull(name, `format('%!.17g', ${name})`),
  text: (name) => `'"' || replace(replace(${name}, '\\', '\\\\'), '"', '\\"') || '"'`,
  bytes: (name) => unlessNull(name, `'"\\\\x' || hex(${name}) || '"'`),
};

/** The text of a value for the checksum; the target makes the same one. */
const CHECKED_TEXT: Readonly<Record<ColumnKind, (name: string) => string>> = {
  whole: (name) => name,
  real: (name) => unlessNull(name, `format('%.15g', ${name})`),
  text: (name) => unlessNull(name, `lower(hex(${name}))`),
  bytes: (name) => unlessNull(name, `lower(hex(${name}))`),
};

const DIALECT = { keyColumn: ({ name }: Column) => name, placeholder: () => '?' };

/** The rows of a range in the order of their keys; without it each aggregate would be free to choose another order. */
function ordered(table: CopiedTable, range: Range) {
  const { condition, values } = conditionOf(table, range, DIALECT);
  const order = table.key.length === 0 ? '' : `ORDER BY ${namesOf(table.key).join(', ')}`;
  return {
    rows: `(SELECT ${namesOf(table.columns).join(', ')} FROM ${table.name} ${condition} ${order})`,
    values,
  };
}

/** Each column of a range as one array. */
export function arraysOf(table: CopiedTable, range: Range) {
  const { rows, values } = ordered(table, range);
  const arrays = table.columns.map(
    ({ name, kind }) => `'{' || group_concat(coalesce(${ARRAY_ELEMENT[kind](name)}, 'NULL')) || '}'`,
  );
  return { text: `SELECT ${arrays.join(', ')} FROM ${rows}`, values };
}

/** The number of rows of a range, and each of its columns as one text. */
export function checkedTextsOf(table: CopiedTable, range: Range) {
  const { rows, values } = ordered(table, range);
  const texts = table.columns.map(
    ({ name, kind }) => `group_concat(coalesce(${CHECKED_TEXT[kind](name)}, '-'))`,
  );
  return { text: `SELECT COUNT(*), ${texts.join(', ')} FROM ${rows}`, values };
}

/** The key of the last row of a batch of this size; no row when fewer are left. */
export function lastKeyOf(table: CopiedTable, range: Range, size: number) {
  const { condition, values } = conditionOf(table, range, DIALECT);
  const key = namesOf(table.key).join(', ');
  return {
    text: `SELECT ${key} FROM ${table.name} ${condition} ORDER BY ${key} LIMIT 1 OFFSET ${size - 1}`,
    values,
  };
}

/** The days of the rows of a range. */
export function daysOf(table: CopiedTable, range: Range, timeColumn: string, dayMs: number) {
  const { condition, values } = conditionOf(table, range, DIALECT);
  return {
    text: `SELECT DISTINCT ${timeColumn} / ${dayMs} * ${dayMs} FROM ${table.name} ${condition}`,
    values,
  };
}
