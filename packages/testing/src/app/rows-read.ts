import { PostgresSql } from '@granary/store/postgres/sql';
import type { Value } from '@granary/store/sql';
import { SqliteSql } from '@granary/store/sqlite/sql';

/** The counts of the reads from the database in this thread. */
export interface RowsRead {
  statements: number;
  rows: number;
  /** The number of rows of the statement that returned most. */
  mostRows: number;
  most: string;
}

const NOTHING: RowsRead = { statements: 0, rows: 0, mostRows: 0, most: '' };

type Query = (text: string, params?: readonly Value[]) => Promise<readonly object[]>;

/** Counts the rows that statements return in this thread, on each engine, until `undo` is called. */
export function countRowsRead(): { take(): RowsRead; undo(): void } {
  let read = { ...NOTHING };
  const undos: (() => void)[] = [];
  const prototypes: object[] = [SqliteSql.prototype, PostgresSql.prototype];
  for (const prototype of prototypes) {
    for (const name of ['query', 'queryArrays']) {
      const query: Query = Reflect.get(prototype, name);
      Reflect.set(
        prototype,
        name,
        async function counted(this: object, text: string, params?: readonly Value[]) {
          const rows = await query.call(this, text, params);
          read.statements++;
          read.rows += rows.length;
          if (rows.length > read.mostRows) {
            read.mostRows = rows.length;
            read.most = text;
          }
          return rows;
        },
      );
      undos.push(() => Reflect.set(prototype, name, query));
    }
  }
  return {
    take() {
      const taken = read;
      read = { ...NOTHING };
      return taken;
    },
    undo() {
      for (const undo of undos) undo();
    },
  };
}
