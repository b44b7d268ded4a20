import { join } from 'node:path';
import type { StoreLocation } from '@granary/app/app';
import { DATABASE_FILE, openWriter } from '@granary/store/sqlite/database';
import { Client } from 'pg';

/** Delays every write of operations, or on PostgreSQL the writes that `lock` prevents, until the returned function is called. */
export async function holdStorage(
  location: StoreLocation,
  lock = 'operations IN EXCLUSIVE MODE',
): Promise<() => Promise<void>> {
  if (location.engine === 'sqlite') {
    const database = openWriter(join(location.folder, DATABASE_FILE));
    database.exec('BEGIN IMMEDIATE');
    return async () => {
      database.exec('ROLLBACK');
      database.close();
    };
  }
  const client = new Client({ connectionString: location.url });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${lock}`);
  return () => client.end();
}
