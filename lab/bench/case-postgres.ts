import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../../tools/test-setup/postgres.ts';
import { measureAppend } from './case-append.ts';
import { measureEngines } from './case-engines.ts';
import { measureReads } from './case-reads.ts';
import { measureStarts } from './case-starts.ts';
import { measureStop } from './case-stop.ts';
import { newDatabase } from './new-database.ts';
import type { Finding } from './report.ts';
import type { Storage } from './storage.ts';

const MEASUREMENTS = {
  reads: measureReads,
  ingest: measureEngines,
  append: measureAppend,
  stop: measureStop,
  starts: measureStarts,
};
const TARGETS = { reads: 0.45, stopMs: 50 };

/** Repeats the measurements of reads, stop and starts with PostgreSQL, and measures ingest against SQLite and the storing of readings alone, each with a database of its own. */
export async function measurePostgres(dataDir: string): Promise<Finding[]> {
  const server = await startPostgres();
  const findings: Finding[] = [];
  try {
    for (const [name, measure] of Object.entries(MEASUREMENTS)) {
      const folder = join(dataDir, name);
      await mkdir(folder);
      const storage: Storage = {
        suffix: ' on PostgreSQL',
        databaseUrl: await newDatabase(server.url, name),
        targets: TARGETS,
      };
      findings.push(...[await measure(folder, storage)].flat());
    }
  } finally {
    await server.stop();
  }
  return findings;
}
