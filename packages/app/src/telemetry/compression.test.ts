import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { PURGE_DELAY_MS } from '@granary/core/fleet/removal';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { distinctReadings, type Reading } from '@granary/core/telemetry/readings';
import { describeEachEngine } from '@granary/testing/app/engines';
import { batchOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import { everyRawRow, rawRowOf } from '@granary/testing/app/raw-readings';
import type { App } from '../app.ts';
import { ROWS_PER_CHUNK_MAX } from './compress-readings.ts';
import type { AppendReceipt } from './telemetry.ts';

const START_MS = NOW_MS - 5 * DAY_MS;
const PART = 1_000;

describeEachEngine('compressed readings', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  /** Appends in parts that even a slow server stores within its time limit. */
  const append = async (readings: readonly Reading[]): Promise<AppendReceipt> => {
    let [stored, repeated] = [0, 0];
    for (let from = 0; from < readings.length; from += PART) {
      const receipt = await app.telemetry.append(batchOf({ readings: readings.slice(from, from + PART) }));
      stored += receipt.stored;
      repeated += receipt.repeated;
    }
    return { stored, repeated };
  };
  const compressAll = async (beforeMs = NOW_MS - DAY_MS, at = app): Promise<number> => {
    let rows = 0;
    for (;;) {
      const part = await at.telemetry.compress({ beforeMs });
      rows += part.rows;
      if (part.nextMs === null) return rows;
    }
  };
  const rowsOf = (deviceNos: readonly number[], sizes = {}) => everyRawRow(app, { deviceNos, ...sizes });
  const numberOf = async (text: string): Promise<number> => Number((await engine.query(text))[0]?.[0]);
  const uncompressed = (condition = '1 = 1') =>
    numberOf(`SELECT COUNT(*) FROM readings WHERE ts_ms < ${NOW_MS - DAY_MS} AND ${condition}`);
  const historyOf = (deviceNo: number) =>
    app.telemetry.history({
      deviceNo,
      lane: STANDARD_SENSORS.weight.lane,
      interval: '1h' as const,
      fromMs: 0,
      toMs: NOW_MS + DAY_MS,
    });
  const chunksDoNotOverlap = async (): Promise<void> => {
    const chunks = await engine.query('SELECT first_ms, last_ms FROM reading_chunks ORDER BY first_ms');
    for (const [n, [firstMs, lastMs]] of chunks.entries()) {
      assert.ok(Number(firstMs) <= Number(lastMs));
      assert.ok(n === 0 || Number(firstMs) > Number(chunks[n - 1]?.[1]));
    }
  };

  /** Readings of a silo and a rover, some with bad values; the last ones of the silo are after the time of compression. */
  const readingsFor = (
    [silo = 0, rover = 0]: readonly number[],
    count: number,
    spacingMs = MINUTE_MS,
  ): Reading[] =>
    Array.from({ length: count }, (_, n): Reading[] => {
      const tsMs = START_MS + n * spacingMs;
      const own = { deviceNo: silo, tsMs, group: 1, b: 7 - n, c: n % 3 === 0 ? null : n * 1e9 };
      const isBad = n % 7 === 0;
      return [
        { ...own, a: 5_000 + n, badMask: isBad ? 1 : 0 },
        { ...own, deviceNo: rover, group: 2, a: Number.MAX_SAFE_INTEGER - n, badMask: 1 },
      ];
    }).flat();

  it('are read as before, in pages of any size, by device and by group', async () => {
    const devices = [await registerDevice(app), await registerDevice(app)];
    const readings = readingsFor(devices, 1_500, 5 * MINUTE_MS);
    await append(readings);
    const expected = readings.map(rawRowOf);
    assert.deepEqual(await rowsOf(devices), expected);
    const compressed = await compressAll();
    assert.equal(compressed, await numberOf('SELECT SUM(readings) FROM reading_chunks'));
    assert.equal(await uncompressed(), 0);
    assert.ok((await numberOf('SELECT COUNT(*) FROM readings')) > 0);
    await chunksDoNotOverlap();
    assert.deepEqual(await rowsOf(devices), expected);
    for (const sizes of [
      { rowsMax: 997, scannedMax: 5_000 },
      { rowsMax: 5_000, scannedMax: 200 },
    ]) {
      assert.deepEqual(await everyRawRow(app, { ...sizes }), expected);
    }
    assert.deepEqual(
      await everyRawRow(app, { groups: [2], deviceNos: devices }),
      expected.filter(([, , group]) => group === 2),
    );
    const range = { fromMs: START_MS + 3 * HOUR_MS + 1, toMs: START_MS + 30 * HOUR_MS };
    assert.deepEqual(
      await rowsOf(devices.slice(1), range),
      expected.filter(([ts, no]) => no === devices[1] && ts >= range.fromMs && ts < range.toMs),
    );
    assert.equal(await compressAll(), 0);
  });

  it('recognise a repeated reading, and take the values that it adds', async () => {
    const deviceNo = await registerDevice(app);
    const early = reading(deviceNo, START_MS, { weight: 5_000, humidity: 3 });
    const late = [
      reading(deviceNo, START_MS, { weight: 5_000, humidity: 3 }),
      reading(deviceNo, START_MS, { weight: 9, temperature: 4 }),
    ];
    await append([early]);
    await compressAll();
    const history = await historyOf(deviceNo);
    assert.deepEqual(await append([early]), { stored: 0, repeated: 1 });
    assert.deepEqual(await append(late.slice(1)), { stored: 1, repeated: 0 });
    assert.deepEqual(await append(late), { stored: 0, repeated: 2 });
    const whole = rawRowOf(reading(deviceNo, START_MS, { weight: 5_000, temperature: 4, humidity: 3 }));
    assert.deepEqual(await rowsOf([deviceNo]), [whole]);
    await compressAll();
    assert.equal(await uncompressed(), 0);
    assert.deepEqual(await rowsOf([deviceNo]), [whole]);
    assert.deepEqual(await append([...late, early]), { stored: 0, repeated: 3 });
    assert.deepEqual(await historyOf(deviceNo), history);
    await compressAll();
    assert.deepEqual(await rowsOf([deviceNo]), [whole]);
  });

  it('keep which value is bad when a late part of the same time arrives', async () => {
    const deviceNo = await registerDevice(app);
    const whole = { deviceNo, tsMs: START_MS + 1, group: 1, a: 1, b: 2, c: 3, badMask: 0b101 };
    await append([{ ...whole, b: null, c: null, badMask: 0b001 }]);
    await compressAll();
    await append([{ ...whole, badMask: 0b100 }]);
    assert.deepEqual(await rowsOf([deviceNo]), [rawRowOf(whole)]);
    await compressAll();
    assert.deepEqual(await rowsOf([deviceNo]), [rawRowOf(whole)]);
  });

  it('are the same in whatever order readings arrive and are compressed', async () => {
    const devices = [await registerDevice(app), await registerDevice(app)];
    const readings = readingsFor(devices, 1_000);
    let sum = 0;
    // Every third reading comes first, then the others; each batch repeats a part of the earlier ones.
    for (const turn of [2, 0, 1, 2, 0]) {
      const batch = readings.filter((_, n) => n % 3 === turn || n % 10 === turn);
      sum += (await append(batch.toReversed())).stored;
      await compressAll(NOW_MS - DAY_MS - turn * 7 * HOUR_MS);
      await chunksDoNotOverlap();
    }
    assert.equal(sum, readings.length);
    assert.deepEqual(await rowsOf(devices), distinctReadings(readings).map(rawRowOf));
    const [silo = 0] = devices;
    const good = readings.filter(({ deviceNo, badMask }) => deviceNo === silo && badMask === 0);
    assert.equal(
      (await historyOf(silo)).reduce((total, { count }) => total + count, 0),
      good.length,
    );
  });

  it('are divided when a chunk becomes too large', async () => {
    const [early, late] = [await registerDevice(app), await registerDevice(app)];
    const series = (deviceNo: number) =>
      Array.from({ length: ROWS_PER_CHUNK_MAX }, (_, n) =>
        reading(deviceNo, START_MS + 10 * HOUR_MS + n * SECOND_MS, { weight: n }),
      );
    for (const deviceNo of [early, late]) {
      await append(series(deviceNo));
      await compressAll();
    }
    await chunksDoNotOverlap();
    assert.ok((await numberOf('SELECT MAX(readings) FROM reading_chunks')) <= ROWS_PER_CHUNK_MAX);
    assert.deepEqual(await rowsOf([late]), series(late).map(rawRowOf));
    assert.deepEqual(await rowsOf([early]), series(early).map(rawRowOf));
  });

  it('are removed with their device, and those of others stay', async () => {
    const devices = [await registerDevice(app), await registerDevice(app)];
    const [purged = 0, kept = 0] = devices;
    await append(readingsFor(devices, 600));
    await compressAll();
    const expected = await rowsOf([kept]);
    await app.devices.remove(purged, NOW_MS, true);
    while (await app.devices.purgeStep({ nowMs: NOW_MS + PURGE_DELAY_MS, rowsMax: 5_000 }));
    assert.deepEqual(await rowsOf([purged]), []);
    assert.deepEqual(await rowsOf([kept]), expected);
  });

  it('are moved by one of two nodes that work at once, while readings arrive', async () => {
    // Only PostgreSQL can have several nodes.
    const other = engine.name === 'postgres' ? await engine.open() : app;
    const devices = [await registerDevice(app), await registerDevice(app)];
    const readings = readingsFor(devices, 1_200);
    await append(readings);
    const arriving = Array.from({ length: 8 }, (_, n) => readings.filter((__, at) => at % 8 === n));
    await Promise.all([
      compressAll(),
      compressAll(undefined, other),
      ...arriving.map((batch, n) => (n % 2 ? app : other).telemetry.append(batchOf({ readings: batch }))),
    ]);
    await compressAll();
    assert.equal(await uncompressed(), 0);
    await chunksDoNotOverlap();
    assert.deepEqual(await rowsOf(devices), distinctReadings(readings).map(rawRowOf));
    const good = readings.filter(({ deviceNo, badMask }) => deviceNo === devices[0] && badMask === 0);
    assert.equal(
      (await historyOf(devices[0] ?? 0)).reduce((total, { count }) => total + count, 0),
      good.length,
    );
  });

  it('are removed when they are too old, chunk by chunk', async () => {
    const deviceNo = await registerDevice(app);
    await append(readingsFor([deviceNo, deviceNo], 100));
    await compressAll();
    const limits = { rawBeforeMs: START_MS + DAY_MS, fiveMinutesBeforeMs: 0, rowsMax: 5_000 };
    const chunks = await numberOf(
      `SELECT COUNT(*) FROM reading_chunks WHERE last_ms < ${limits.rawBeforeMs}`,
    );
    assert.ok(chunks > 0);
    while ((await app.telemetry.expire(limits)) > 0);
    assert.equal(
      await numberOf(`SELECT COUNT(*) FROM reading_chunks WHERE last_ms < ${limits.rawBeforeMs}`),
      0,
    );
    assert.ok((await numberOf('SELECT COUNT(*) FROM reading_chunks')) > 0);
  });
});
