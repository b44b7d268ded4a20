import { join } from 'node:path';
import type { StoreLocation } from '@granary/app/app';
import { DATABASE_FILE, openWriter } from '@granary/store/sqlite/database';
import { Client } from 'pg';

/** Changes stored rows in a way that no use case would, beside the service that uses them. */
export async function changeRows(location: StoreLocation, statement: string): Promise<void> {
  if (location.engine === 'sqlite') {
    const database = openWriter(join(location.folder, DATABASE_FILE));
    database.exec(statement);
    database.close();
    return;
  }
  const client = new Client({ connectionString: location.url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
