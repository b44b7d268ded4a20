import { MoveError } from '../errors.ts';
import type { Column, CopiedTable } from './copied-table.ts';
import type { SourceTable } from './source.ts';
import type { TargetColumn } from './target.ts';
import { KINDS } from './target-sql.ts';

/** The tables of the embedded store with the types that their columns have in PostgreSQL. Other tables there begin empty. */
export function copiedTables(source: readonly SourceTable[], target: readonly TargetColumn[]): CopiedTable[] {
  const kinds = new Map(target.map(({ table, name, type }) => [`${table}.${name}`, KINDS[type]]));
  return source.map(({ name, columns, key }) => {
    const columnOf = (column: string): Column => {
      const kind = kinds.get(`${name}.${column}`);
      if (kind === undefined)
        throw new MoveError(`PostgreSQL has no place for the column ${column} of ${name}`);
      return { name: column, kind };
    };
    return { name, columns: columns.map(columnOf), key: key.map(columnOf) };
  });
}
