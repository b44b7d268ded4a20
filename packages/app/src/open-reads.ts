import { join } from 'node:path';
import type { TimeLimits } from '@granary/store/postgres/engine';
import type { Sql } from '@granary/store/sql';
import { DATABASE_FILE, openReader } from '@granary/store/sqlite/database';
import { SqliteSql } from '@granary/store/sqlite/sql';

/** The place of the data: a file in a folder, or a PostgreSQL database. */
export type StoreLocation =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | {
      readonly engine: 'postgres';
      readonly url: string;
      readonly connections?: number;
      /** The default is the time limits of a service; a test about simultaneous writes, and not about durations, sets longer ones. */
      readonly limits?: TimeLimits;
    };

/** A connection of a thread that only reads. */
export interface Reads {
  use<T>(read: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens a database that exists already, because the service has opened it. */
export async function openReads(location: StoreLocation): Promise<Reads> {
  if (location.engine === 'postgres') {
    const { PostgresConnection } = await import('@granary/store/postgres/separate-connection');
    const connection = new PostgresConnection(location.url);
    return { use: (read) => connection.use(read), close: () => connection.close() };
  }
  const database = openReader(join(location.folder, DATABASE_FILE));
  const sql = new SqliteSql(database);
  return { use: (read) => read(sql), close: async () => database.close() };
}
