import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoreLocation } from '@granary/app/app';
import { Move, type MovedTable, type MoveOptions, type MovePlan } from '@granary/store/move/move';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import type { TestEngine } from './engines.ts';
import { outcomesOf, prepareRounds } from './every-write.ts';
import { openRecordingApp } from './recorded-effects.ts';

export type EmbeddedStore = Extract<StoreLocation, { engine: 'sqlite' }> & {
  /** Runs SQL directly on the database. */
  run(text: string): void;
  remove(): void;
};

const ROUNDS = 4;

/** Makes an embedded store with the rows of every write. */
export async function filledStore(): Promise<EmbeddedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-move-'));
  const location = { engine: 'sqlite', folder } as const;
  const app = await openRecordingApp(location);
  const rows = await prepareRounds(app);
  for (let round = 1; round <= ROUNDS; round++) await outcomesOf({ app, node: 0, round, ...rows });
  await app.close();
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
