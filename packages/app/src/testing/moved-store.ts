import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Move, type MovedTable, type MoveOptions, type MovePlan } from '@granary/store/move/move';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import { openApp, type StoreLocation } from '../app.ts';
import type { TestEngine } from './engines.ts';
import { restoreOldDatabase } from './old-databases.ts';

export type EmbeddedStore = Extract<StoreLocation, { engine: 'sqlite' }> & {
  /** Runs SQL directly on the database. */
  run(text: string): void;
  remove(): void;
};

/** An embedded store with a row in nearly every table and records in every state, written by an old version and upgraded. */
export async function filledStore(): Promise<EmbeddedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-move-'));
  const location = { engine: 'sqlite', folder } as const;
  await restoreOldDatabase(location, 7);
  await (await openApp(location)).close();
  return {
    ...location,
    run(text) {
      const database = new DatabaseSync(join(folder, DATABASE_FILE));
      database.exec(text);
      database.close();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface Moved {
  readonly plan: MovePlan;
  readonly tables: readonly MovedTable[];
}

export async function moveStore(
  { folder }: EmbeddedStore,
  { location }: TestEngine,
  options: MoveOptions = {},
): Promise<Moved> {
  if (location.engine !== 'postgres') throw new Error('a store moves to PostgreSQL only');
  const move = await Move.open(folder, location.url);
  try {
    return { plan: move.plan, tables: await move.run(options) };
  } finally {
    await move.close();
  }
}
