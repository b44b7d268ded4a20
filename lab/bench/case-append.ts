import { openApp } from '@granary/app/app';
import type { Reading } from '@granary/core/telemetry/readings';
import { Client } from 'pg';
import { registerSeries } from './disk-readings.ts';
import { type Finding, median, whole } from './report.ts';
import type { Storage } from './storage.ts';

const ROUNDS = 7;
const BATCHES_PER_ROUND = 20;
const DEVICES = 200;
const READINGS_PER_DEVICE = 10;
const REPORT_MS = 10_000;
const TARGET = 0.5;

const CREATE_BARE = `CREATE TABLE bare_readings (
  ts_ms BIGINT NOT NULL, device_no BIGINT NOT NULL, sensor_group BIGINT NOT NULL,
  a BIGINT, b BIGINT, c BIGINT, bad_mask BIGINT, PRIMARY KEY (ts_ms, device_no, sensor_group))`;
const INSERT_BARE = `INSERT INTO bare_readings SELECT * FROM unnest(
  $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])`;

/** Compares the storing of batches of readings, with newest values, buckets and presence, with an insert of the same rows. */
export async function measureAppend(_dataDir: string, { suffix, databaseUrl }: Storage): Promise<Finding> {
  const app = await openApp({ engine: 'postgres', url: databaseUrl });
  const bare = new Client({ connectionString: databaseUrl });
  await bare.connect();
  await bare.query(CREATE_BARE);
  const ratios: number[] = [];
  const perSecond: number[] = [];
  try {
    const deviceNos = Array.from({ length: DEVICES }, (_, n) => n + 1);
    await registerSeries(app, readingsFrom(0, deviceNos));
    let startMs = Date.now() - (Date.now() % REPORT_MS);
    for (let round = 0; round <= ROUNDS; round++) {
      const batches = Array.from({ length: BATCHES_PER_ROUND }, () => {
        startMs += READINGS_PER_DEVICE * REPORT_MS;
        return readingsFrom(startMs, deviceNos);
      });
      const oursMs = await timeOf(batches, async (readings) => {
        const seen = deviceNos.map((deviceNo) => ({ deviceNo, atMs: startMs }));
        const { stored } = await app.telemetry.append({ readings, seen, rejections: [] });
        if (stored !== readings.length) throw new Error(`${stored} of ${readings.length} were stored`);
      });
      const bareMs = await timeOf(batches, (readings) => insertBare(bare, readings));
      if (round === 0) continue;
      ratios.push(bareMs / oursMs);
      perSecond.push((BATCHES_PER_ROUND * DEVICES * READINGS_PER_DEVICE * 1_000) / oursMs);
    }
  } finally {
    await bare.end();
    await app.close();
  }
  const ratio = median(ratios);
  return {
    name: `Storing batches of readings${suffix}, against an insert of the same rows by \`unnest\``,
    target: `at least ${TARGET}`,
    figure: ratio.toFixed(2),
    met: ratio >= TARGET,
    detail: `${whole(median(perSecond))} readings/s in batches of ${whole(DEVICES * READINGS_PER_DEVICE)} of ${DEVICES} silos, one after another; ${ROUNDS} rounds in turns`,
  };
}

function readingsFrom(startMs: number, deviceNos: readonly number[]): Reading[] {
  return Array.from({ length: READINGS_PER_DEVICE }, (_, n) => n).flatMap((n) =>
    deviceNos.map((deviceNo) => ({
      tsMs: startMs + n * REPORT_MS,
      deviceNo,
      group: 1,
      badMask: 0,
      a: 10_000_000 + n,
      b: 1_825,
      c: 5_550,
    })),
  );
}

async function timeOf(
  batches: readonly Reading[][],
  store: (readings: readonly Reading[]) => Promise<void>,
): Promise<number> {
  const startMs = performance.now();
  for (const readings of batches) await store(readings);
  return performance.now() - startMs;
}

async function insertBare(bare: Client, readings: readonly Reading[]): Promise<void> {
  const columns = [
    readings.map(({ tsMs }) => tsMs),
    readings.map(({ deviceNo }) => deviceNo),
    readings.map(({ group }) => group),
    readings.map(({ a }) => a),
    readings.map(({ b }) => b),
    readings.map(({ c }) => c),
    readings.map(() => null),
  ];
  await bare.query({ name: 'insert', text: INSERT_BARE, values: columns });
}
