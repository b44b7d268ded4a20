import { UNFINISHED_MOVE } from '../postgres/unfinished-move.ts';
import {
  type Column,
  type ColumnKind,
  type CopiedTable,
  conditionOf,
  namesOf,
  type Range,
} from './copied-table.ts';

/** The types of the columns in PostgreSQL. */
export const KINDS: Readonly<Record<string, ColumnKind>> = {
  bigint: 'whole',
  'double precision': 'real',
  text: 'text',
  bytea: 'bytes',
};

const TYPES: Readonly<Record<ColumnKind, string>> = {
  whole: 'bigint',
  real: 'double precision',
  text: 'text',
  bytes: 'bytea',
};

const CHECKED_TEXT: Readonly<Record<ColumnKind, (name: string) => string>> = {
  whole: (name) => `${name}::text`,
  // The server writes 15 digits (`extra_float_digits`), like the source.
  real: (name) => `${name}::text`,
  text: (name) => `encode(convert_to(${name}, 'UTF8'), 'hex')`,
  bytes: (name) => `encode(${name}, 'hex')`,
};

const keyColumn = ({ name, kind }: Column): string => (kind === 'text' ? `${name} COLLATE "C"` : name);
const DIALECT = { keyColumn, placeholder: (position: number) => `$${position}` };

/**
 * Inserts rows with one statement, so that the rows and the progress are stored together or not at all; the progress is the
 * last parameter.
 */
export function insertText({ name, columns }: CopiedTable): string {
  const arrays = columns.map(({ kind }, index) => `$${index + 1}::${TYPES[kind]}[]`);
  return `WITH inserted AS (
    INSERT INTO ${name} (${namesOf(columns).join(', ')}) SELECT * FROM unnest(${arrays.join(', ')}))
    UPDATE ${UNFINISHED_MOVE} SET progress = $${columns.length + 1}`;
}

/** Selects the number of rows of a range, and the checksum of the texts of its columns. */
export function checksumOf(table: CopiedTable, range: Range) {
  const { condition, values } = conditionOf(table, range, DIALECT);
  const order = table.key.length === 0 ? '' : `ORDER BY ${table.key.map(keyColumn).join(', ')}`;
  const texts = table.columns.map(
    ({ name, kind }) => `string_agg(coalesce(${CHECKED_TEXT[kind](name)}, '-'), ',')`,
  );
  return {
    text: `SELECT COUNT(*), encode(sha256(convert_to(concat_ws('|', ${texts.join(', ')}), 'UTF8')), 'hex')
           FROM (SELECT ${namesOf(table.columns).join(', ')} FROM ${table.name} ${condition} ${order}) AS ordered`,
    values,
  };
}

/** Selects the tables of the schema in use, without those of extensions and without partitions. */
export const TABLES = `SELECT relname FROM pg_class
  WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p') AND NOT relispartition
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
  ORDER BY relname`;

/** Selects the columns of all tables, with their types and whether the server generates their numbers. */
export const COLUMNS = `SELECT relname, attname, format_type(atttypid, NULL), attidentity <> ''
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p') AND NOT relispartition
    AND attnum > 0 AND NOT attisdropped
  ORDER BY relname, attnum`;

/** Makes the next generated number follow the greatest one, as in the embedded store. */
export const continueNumbers = (table: string, column: string): string =>
  `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(MAX(${column}), 1), MAX(${column}) IS NOT NULL)
   FROM ${table}`;

/** CASCADE includes the tables that only PostgreSQL has and that refer to these; they have no rows before a service uses the database. */
export const truncate = (tables: readonly string[]): string => `TRUNCATE ${tables.join(', ')} CASCADE`;
