import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type App, openApp } from '@granary/app/app';
import type { Reading } from '@granary/core/telemetry/readings';
import { beforeTime, type RawPosition } from '@granary/store/chunks/raw-row';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import { demoHistory, registerSeries, slowlyChanging } from './disk-readings.ts';
import { type Finding, whole } from './report.ts';

const BATCH = 2_000;
/** As an export reads them. */
const PAGE = {
  toMs: Number.MAX_SAFE_INTEGER,
  deviceNos: null,
  groups: null,
  rowsMax: 250,
  scannedMax: 5_000,
};

interface DataSet {
  readonly name: string;
  readonly bytesMax: number;
  readonly readings: Iterable<Reading>;
}

/** The disk space of raw readings before and after they are compressed, and what reading all of them costs. */
export async function measureDisk(dataDir: string): Promise<Finding[]> {
  const sets: readonly DataSet[] = [
    { name: 'the demo farm, 30 days of its history', bytesMax: 8, readings: demoHistory() },
    { name: 'slowly changing values of 100 silos', bytesMax: 3, readings: slowlyChanging() },
  ];
  const findings: Finding[] = [];
  for (const [n, set] of sets.entries()) findings.push(await measureSet(join(dataDir, `set-${n}`), set));
  return findings;
}

async function measureSet(folder: string, { name, bytesMax, readings }: DataSet): Promise<Finding> {
  mkdirSync(folder);
  const app = await openApp({ engine: 'sqlite', folder });
  try {
    const count = await append(app, readings);
    const before = bytesOf(folder);
    const plain = await readAll(app);
    while ((await app.telemetry.compress({ beforeMs: Number.MAX_SAFE_INTEGER })).nextMs !== null);
    const after = bytesOf(folder);
    const compressed = await readAll(app);
    if (plain.rows !== count || compressed.rows !== count || plain.sum !== compressed.sum) {
      throw new Error(`of ${count} readings ${plain.rows} and then ${compressed.rows} were read`);
    }
    const perReading = (bytes: number): string => (bytes / count).toFixed(1);
    return {
      name: `Bytes per raw reading in the database: ${name}`,
      target: `at most ${bytesMax}`,
      figure: perReading(after.readings),
      met: after.readings / count <= bytesMax,
      detail:
        `${whole(count)} readings; ${perReading(before.readings)} before they are compressed; whole file ` +
        `${whole(before.all / 1_024)} and ${whole(after.all / 1_024)} KiB in use; reading all of them ` +
        `${whole(plain.ms)} and ${whole(compressed.ms)} ms`,
    };
  } finally {
    await app.close();
  }
}

async function append(app: App, readings: Iterable<Reading>): Promise<number> {
  let count = 0;
  let batch: Reading[] = [];
  const write = async (): Promise<void> => {
    await registerSeries(app, batch);
    count += (await app.telemetry.append({ readings: batch, seen: [], rejections: [] })).stored;
    batch = [];
  };
  for (const reading of readings) {
    batch.push(reading);
    if (batch.length === BATCH) await write();
  }
  await write();
  return count;
}

interface Found {
  readonly rows: number;
  /** Of all numbers, so that a lost or changed one is noticed. */
  readonly sum: number;
  readonly ms: number;
}

async function readAll(app: App): Promise<Found> {
  const beganMs = performance.now();
  let [rows, sum] = [0, 0];
  for (let after: RawPosition | null = beforeTime(0); after !== null; ) {
    const page = await app.exports.rawPage({ ...PAGE, after });
    rows += page.rows.length;
    for (const row of page.rows)
      for (const [n, value] of row.entries()) sum = (sum * 31 + n * (value ?? 7)) % 1e9;
    after = page.next;
  }
  return { rows, sum, ms: performance.now() - beganMs };
}

/** The pages of the tables of raw readings, and all pages in use. */
function bytesOf(folder: string): { readonly readings: number; readonly all: number } {
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
  try {
    const sum = (condition: string): number =>
      Number(database.prepare(`SELECT SUM(pgsize) AS n FROM dbstat WHERE ${condition}`).get()?.['n'] ?? 0);
    return {
      readings: sum(`name IN ('readings', 'reading_chunks', 'reading_compression')`),
      all: sum('1 = 1'),
    };
  } finally {
    database.close();
  }
}
