import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type App, openApp } from '@granary/app/app';
import { DAY_MS } from '@granary/contract/time';
import type { Reading } from '@granary/core/telemetry/readings';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import { registerDevice } from '@granary/testing/app/fixtures';
import { everyRawRow } from '@granary/testing/app/raw-readings';
import { type Finding, whole } from './report.ts';

const BYTES_MAX = 3;
const SILOS = 100;
const SPACING_MS = 10_000;
const ROUNDS = 5_000;
const ROUNDS_PER_BATCH = 20;
const END_MS = Math.floor(Date.now() / DAY_MS - 2) * DAY_MS;

/** Measures the disk space of raw readings before and after compression, and the cost of reading all of them. */
export async function measureDisk(folder: string): Promise<Finding> {
  const app = await openApp({ engine: 'sqlite', folder });
  try {
    const count = await writeReadings(app);
    const before = bytesOf(folder);
    const plain = await readAll(app);
    while ((await app.telemetry.compress({ beforeMs: Number.MAX_SAFE_INTEGER })).nextMs !== null);
    const after = bytesOf(folder);
    const compressed = await readAll(app);
    if (plain.rows !== count || compressed.rows !== count || plain.sum !== compressed.sum) {
      throw new Error(`of ${count} readings ${plain.rows} and then ${compressed.rows} were read`);
    }
    return {
      name: `Bytes per raw reading in the database: slowly changing values of ${SILOS} silos`,
      target: `at most ${BYTES_MAX}`,
      figure: (after / count).toFixed(1),
      met: after / count <= BYTES_MAX,
      detail: `${whole(count)} readings; ${(before / count).toFixed(1)} before they are compressed; reading all of them ${whole(plain.ms)} and ${whole(compressed.ms)} ms`,
    };
  } finally {
    await app.close();
  }
}

/** Silos at rest: the weight changes now and then, temperature and humidity slowly. */
async function writeReadings(app: App): Promise<number> {
  const deviceNos: number[] = [];
  while (deviceNos.length < SILOS) deviceNos.push(await registerDevice(app));
  let count = 0;
  for (let first = 0; first < ROUNDS; first += ROUNDS_PER_BATCH) {
    const readings: Reading[] = [];
    for (let round = first; round < first + ROUNDS_PER_BATCH; round++) {
      for (const deviceNo of deviceNos) readings.push(readingOf(deviceNo, round));
    }
    count += (await app.telemetry.append({ readings, seen: [], rejections: [] })).stored;
  }
  return count;
}

function readingOf(deviceNo: number, round: number): Reading {
  const phase = round / 600 + deviceNo;
  return {
    deviceNo,
    tsMs: END_MS + (round - ROUNDS) * SPACING_MS + ((deviceNo * 97) % SPACING_MS),
    group: 1,
    badMask: 0,
    a: 5_000_000 + 1_000 * Math.floor(round / (100 + deviceNo)),
    b: 15_000 + 100 * Math.round(30 * Math.sin(phase)),
    c: 55_000 + 100 * Math.round(50 * Math.cos(phase)),
  };
}

interface Found {
  readonly rows: number;
  /** The sum of all numbers, which shows a lost or changed number. */
  readonly sum: number;
  readonly ms: number;
}

async function readAll(app: App): Promise<Found> {
  const beganMs = performance.now();
  const rows = await everyRawRow(app);
  const ms = performance.now() - beganMs;
  let sum = 0;
  for (const row of rows) for (const [n, value] of row.entries()) sum = (sum * 31 + n * (value ?? 7)) % 1e9;
  return { rows: rows.length, sum, ms };
}

/** The size of the pages of the tables of raw readings. */
function bytesOf(folder: string): number {
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
  try {
    const sum = database.prepare(
      `SELECT SUM(pgsize) AS n FROM dbstat WHERE name IN ('readings', 'reading_chunks', 'reading_compression')`,
    );
    return Number(sum.get()?.['n'] ?? 0);
  } finally {
    database.close();
  }
}
