import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { Client } from 'pg';
import type { Fault, FaultParts } from './fault.ts';

const AWAY_MS = 8_000;
const FULL_MS = 12_000;
const DUMP_MS = 20_000;
const LATE_AFTER_MS = 2_000;
const LATE_DEVICES = 5;

export const freezeDatabase: Fault = {
  name: 'freeze-database',
  description: 'PostgreSQL and all its processes are suspended (SIGSTOP) for 8 s',
  run: async ({ site, recovered }) => {
    await site.postgres.freeze();
    await sleep(AWAY_MS);
    await site.postgres.thaw();
    await recovered();
  },
};

const stopDatabase = (mode: 'fast' | 'immediate') => async (parts: FaultParts) => {
  const { postgres } = parts.site;
  await postgres.shutDown(mode);
  await sleep(AWAY_MS);
  await postgres.restart();
  await parts.recovered();
};

export const stopDatabaseFast: Fault = {
  name: 'stop-database-fast',
  description: 'PostgreSQL is stopped (fast) and started 8 s later',
  run: stopDatabase('fast'),
};

export const stopDatabaseImmediate: Fault = {
  name: 'stop-database-immediate',
  description: 'PostgreSQL is stopped (immediate, as a crash) and started 8 s later',
  run: stopDatabase('immediate'),
};

export const fillDisk: Fault = {
  name: 'fill-disk',
  description:
    'the file system of PostgreSQL is filled to the last block for 12 s; if PostgreSQL ends by that, it is started when there is room again',
  needsFileSystem: true,
  run: async ({ site, recovered }) => {
    const { volume, postgres } = site;
    if (volume === null) throw new Error('the database has no file system of its own');
    await volume.fill();
    await sleep(FULL_MS);
    await volume.freeAgain();
    if (!postgres.isRunning) await postgres.restart();
    await recovered();
  },
};

export const dump: Fault = {
  name: 'dump',
  description:
    'a transaction holds the locks of `pg_dump` (ACCESS SHARE on every table, and a snapshot) for 20 s; meanwhile devices report the first readings of a day that has no partition yet: yesterday, because only the day of the reading decides',
  run: async ({ site, fleet, idleSilos, recovered }) => {
    const client = new Client({ connectionString: site.postgres.url });
    await client.connect();
    try {
      await lockAsDump(client);
      await sleep(LATE_AFTER_MS);
      const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      fleet.reportLate(idleSilos.slice(0, LATE_DEVICES), midnightMs - MINUTE_MS);
      await sleep(DUMP_MS / 2);
      // The dump goes on: what comes meanwhile must not wait for its end.
      await recovered();
      await sleep(DUMP_MS / 2);
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
    await recovered();
  },
};

async function lockAsDump(client: Client): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  await client.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN ACCESS SHARE MODE`);
}
