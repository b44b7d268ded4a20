import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import { Client } from 'pg';
import type { StoreLocation } from '../app.ts';

/**
 * Databases written by older versions of the service, stored as SQL text that is never edited. Schema 3 is that of the first
 * version, schema 7 the last before stored documents had versions: both have a row in every table and records in every
 * state, and were written by the code of that version. All of them hold the silo `silo-alerts`, nearly empty, and the
 * field device `rover-commands`.
 */
export const OLD_SCHEMAS = [1, 2, 3, 7] as const;
export type OldSchema = (typeof OLD_SCHEMAS)[number];

/** The time at which the databases were written. */
export const WRITTEN_AT_MS = Date.UTC(2026, 5, 15, 12);

export const COMPLETE_SCHEMAS = [3, 7] as const;

/** What the version that wrote schema 7 answered from a complete database, the same for both engines. */
export const answersFile = (schema: (typeof COMPLETE_SCHEMAS)[number]): string =>
  fileURLToPath(new URL(`./old-databases/schema-${schema}.answers.txt`, import.meta.url));

const textOf = (schema: OldSchema, engine: StoreLocation['engine']): string =>
  readFileSync(new URL(`./old-databases/schema-${schema}.${engine}.sql`, import.meta.url), 'utf8');

/** Fills an empty database with the rows that an older version wrote. */
export async function restoreOldDatabase(location: StoreLocation, schema: OldSchema): Promise<void> {
  const text = textOf(schema, location.engine);
  if (location.engine === 'sqlite') {
    const database = new DatabaseSync(join(location.folder, DATABASE_FILE));
    database.exec(text);
    database.close();
    return;
  }
  const client = new Client({ connectionString: location.url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
