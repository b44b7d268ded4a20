import type { Engine, UseCases } from '../engine.ts';
import type { OnUpgrade } from '../migrations/migrations.ts';
import { openReader, prepareDatabase } from './database.ts';
import { SqliteSql } from './sql.ts';
import { Writer } from './writer.ts';

/** A busy machine may take seconds to start a thread. */
const THREAD_START_MS_MAX = 60_000;

/** A writer thread owns the only writing connection; reads use their own connection. */
export async function openSqlite(folder: string, useCases: UseCases, onUpgrade?: OnUpgrade): Promise<Engine> {
  const file = await prepareDatabase(folder, onUpgrade);
  const writer = new Writer(file, useCases.threadUrl);
  await writer.submit(null, { limitMs: THREAD_START_MS_MAX });
  const database = openReader(file);
  const reader = new SqliteSql(database);
  return {
    reader,
    write: (call) => writer.submit(call),
    urgent: { reader, write: (call) => writer.submit(call, { isUrgent: true }) },
    announcements: null,
    separateConnection: null,
    async health() {
      await reader.query('SELECT version FROM granary_schema');
      await writer.submit(null);
    },
    figures: () => writer.figures(),
    openWriterPort: () => writer.openPort(),
    finishSoon: () => writer.finishSoon(),
    async close() {
      // The last connection to close copies the WAL back into the file, so it must be the writing one.
      if (database.isOpen) database.close();
      await writer.close();
    },
  };
}
