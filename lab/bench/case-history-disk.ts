import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type App, openApp } from '@granary/app/app';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import type { Reading } from '@granary/core/telemetry/readings';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import { registerDevice } from '@granary/testing/app/fixtures';
import pg from 'pg';
import { type Finding, whole } from './report.ts';
import { SQLITE, type Storage } from './service-process.ts';

const BYTES_MAX = { sqlite: 12, postgres: 14 };
const SILOS = 20;
const DAYS = 8;
const SPACING_MS = 30_000;
const ROUNDS = (DAYS * DAY_MS) / SPACING_MS;
const ROUNDS_PER_BATCH = 100;
const BUCKETS = (SILOS * DAYS * DAY_MS) / (5 * MINUTE_MS);
/** The days of a chunk begin at a multiple of four days. */
const END_MS = Math.floor(Date.now() / (4 * DAY_MS) - 1) * 4 * DAY_MS;

/** Measures the disk space of closed buckets of five minutes, with those of an hour and a day, before and after compression. */
export async function measureHistoryDisk(folder: string, storage: Storage = SQLITE): Promise<Finding> {
  const isSqlite = storage === SQLITE;
  const url = storage.databaseUrl;
  const app = await openApp(isSqlite ? { engine: 'sqlite', folder } : { engine: 'postgres', url });
  const bytes = (): Promise<number> => (isSqlite ? bytesOfFile(folder) : bytesOfTables(url));
  try {
    const silos: number[] = [];
    while (silos.length < SILOS) silos.push(await registerDevice(app));
    await writeReadings(app, silos);
    const before = await bytes();
    const startedMs = performance.now();
    while ((await app.telemetry.compressHistory({ beforeMs: Date.now() })).nextMs !== null);
    const seconds = (performance.now() - startedMs) / 1_000;
    const after = await bytes();
    const figure = after / BUCKETS;
    const bytesMax = isSqlite ? BYTES_MAX.sqlite : BYTES_MAX.postgres;
    return {
      name: `Bytes per closed five-minute bucket of three sensors${storage.suffix}`,
      target: `at most ${bytesMax}`,
      figure: figure.toFixed(1),
      met: figure <= bytesMax,
      detail: `${whole(BUCKETS)} buckets of ${SILOS} silos whose weight, temperature and humidity change all the time, with their hours and days; ${(before / BUCKETS).toFixed(0)} before they are compressed, which took ${seconds.toFixed(1)} s`,
    };
  } finally {
    await app.close();
  }
}

async function writeReadings(app: App, silos: readonly number[]): Promise<void> {
  for (let first = 0; first < ROUNDS; first += ROUNDS_PER_BATCH) {
    const readings: Reading[] = [];
    for (let round = first; round < first + ROUNDS_PER_BATCH; round++) {
      for (const deviceNo of silos) readings.push(readingOf(deviceNo, round));
    }
    await app.telemetry.append({ readings, seen: [], rejections: [] });
  }
}

/**
 * The reading of a scale with a resolution of 1 kg that loses weight steadily, and of air that follows the day; each with
 * noise of a few steps.
 */
function readingOf(deviceNo: number, round: number): Reading {
  const day = (2 * Math.PI * round * SPACING_MS) / DAY_MS + deviceNo;
  const eaten = Math.floor((round * SPACING_MS) / MINUTE_MS / 3);
  return {
    deviceNo,
    tsMs: END_MS + (round - ROUNDS) * SPACING_MS + ((deviceNo * 97) % 1_000),
    group: 1,
    badMask: 0,
    a: 1_000 * (9_000 - (eaten % 8_000) + noise(deviceNo, round, 1)),
    b: 15_000 + 100 * (Math.round(60 * Math.sin(day)) + noise(deviceNo, round, 2)),
    c: 55_000 + 100 * (Math.round(120 * Math.cos(day)) + noise(deviceNo, round, 3)),
  };
}

/** The noise of a value: −1, 0 or 1, different for each device, round and sensor. */
const noise = (deviceNo: number, round: number, sensor: number): number =>
  ((Math.imul(round + 7_919 * deviceNo + 104_729 * sensor, 0x9e3779b1) >>> 16) % 3) - 1;

const TABLES = ['buckets', 'bucket_chunks'];

async function bytesOfFile(folder: string): Promise<number> {
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
  try {
    const names = TABLES.map((name) => `name = '${name}' OR name LIKE 'sqlite_autoindex_${name}%'`).join(
      ' OR ',
    );
    return Number(database.prepare(`SELECT SUM(pgsize) AS n FROM dbstat WHERE ${names}`).get()?.['n'] ?? 0);
  } finally {
    database.close();
  }
}

/** The size of the tables without the space of removed rows, which the next rows use. */
async function bytesOfTables(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const table of TABLES) await client.query(`VACUUM FULL ${table}`);
    const sizes = TABLES.map((table) => `pg_total_relation_size('${table}')`).join(' + ');
    const { rows } = await client.query(`SELECT ${sizes} AS n`);
    return Number(rows[0].n);
  } finally {
    await client.end();
  }
}
