import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { INTERVALS } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { PURGE_DELAY_MS } from '@granary/core/fleet/removal';
import type { Reading } from '@granary/core/telemetry/readings';
import { describeEachEngine } from '@granary/testing/app/engines';
import { batchOf, NOW_MS, registerDevice } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const DAYS = 11;
const START_MS = NOW_MS - DAYS * DAY_MS;
const PART = 2_000;
const GROUPS = [1, 4];

describeEachEngine('compressed history', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const append = async (readings: readonly Reading[], at = app): Promise<void> => {
    for (let from = 0; from < readings.length; from += PART) {
      await at.telemetry.append(batchOf({ readings: readings.slice(from, from + PART) }));
    }
  };
  const compressAll = async (beforeMs = NOW_MS - DAY_MS, at = app): Promise<void> => {
    while ((await at.telemetry.compressHistory({ beforeMs })).nextMs !== null);
  };
  /** Returns every history of a device. */
  const historiesOf = async (deviceNo: number) => {
    const found: unknown[] = [];
    for (const interval of INTERVALS) {
      for (const group of GROUPS) {
        for (const slot of [0, 1, 2] as const) {
          const range = { fromMs: START_MS - 40 * DAY_MS, toMs: NOW_MS + DAY_MS };
          found.push(await app.telemetry.history({ deviceNo, lane: { group, slot }, interval, ...range }));
        }
      }
    }
    return found;
  };
  const numberOf = async (text: string): Promise<number> => Number((await engine.query(text))[0]?.[0]);
  const rowsLeft = (deviceNo: number, table = 'buckets') =>
    numberOf(`SELECT COUNT(*) FROM ${table} WHERE device_no = ${deviceNo} AND size_ms < ${DAY_MS}`);

  /** Readings of two sensor groups, with gaps, values that change slowly and fast, and missing and bad values. */
  const readingsOf = (deviceNo: number): Reading[] =>
    Array.from({ length: (DAYS * DAY_MS) / (7 * MINUTE_MS) }, (_, n): Reading[] => {
      const tsMs = START_MS + n * 7 * MINUTE_MS + (n % 11) * 997;
      if (n % 400 > 360) return [];
      const slow = { deviceNo, tsMs, group: 1, a: 5_000_000 - 900 * n, b: 15_000 + 100 * (n % 50), c: 7 };
      const fast = {
        deviceNo,
        tsMs,
        group: 4,
        a: ((n * 7_919) % 100_003) - 50_000,
        b: null,
        c: n % 4 ? null : n,
      };
      return [
        { ...slow, badMask: n % 13 === 0 ? 0b011 : 0 },
        { ...fast, badMask: 0 },
      ];
    }).flat();

  it('is the same as before, to the last digit, and takes late readings', async () => {
    const [whole, parts] = [await registerDevice(app), await registerDevice(app)];
    await append(readingsOf(whole));
    const readings = readingsOf(parts);
    const isLate = (_: Reading, n: number): boolean => n % 5 === 1;
    await append(readings.filter((reading, n) => !isLate(reading, n)));
    const [expected, early] = [await historiesOf(whole), await historiesOf(parts)];
    await compressAll(START_MS + 3 * DAY_MS);
    assert.deepEqual(await historiesOf(parts), early);
    await compressAll();
    const rows = await rowsLeft(parts);
    assert.ok(rows > 0 && rows < 2 * (300 + 40), `${rows} rows are of the last day`);
    assert.deepEqual([await historiesOf(whole), await historiesOf(parts)], [expected, early]);
    await append(readings.filter(isLate));
    assert.ok((await rowsLeft(parts)) > rows);
    assert.deepEqual(await historiesOf(parts), expected);
    await compressAll();
    assert.equal(await rowsLeft(parts), await rowsLeft(whole));
    assert.deepEqual(await historiesOf(parts), expected);
  });

  it('is compressed by one of two nodes that work at once, while late readings arrive', async () => {
    const other = engine.name === 'postgres' ? await engine.open() : app;
    const [whole, parts] = [await registerDevice(app), await registerDevice(app)];
    const readings = readingsOf(parts).slice(0, 2_000);
    await append(readingsOf(whole).slice(0, 2_000));
    await append(readings.filter((_, n) => n % 2 === 0));
    const arriving = Array.from({ length: 8 }, (_, n) => readings.filter((__, at) => at % 16 === 2 * n + 1));
    await Promise.all([
      compressAll(),
      compressAll(undefined, other),
      ...arriving.map((batch, n) => append(batch, n % 2 ? app : other)),
    ]);
    assert.deepEqual(await historiesOf(parts), await historiesOf(whole));
    await compressAll();
    assert.deepEqual(await historiesOf(parts), await historiesOf(whole));
  });

  it('is removed with its device, and that of others stays', async () => {
    const [purged, kept] = [await registerDevice(app), await registerDevice(app)];
    for (const deviceNo of [purged, kept]) await append(readingsOf(deviceNo).slice(0, 1_000));
    await compressAll();
    const expected = await historiesOf(kept);
    await app.devices.remove(purged, NOW_MS, true);
    while (await app.devices.purgeStep({ nowMs: NOW_MS + PURGE_DELAY_MS, rowsMax: 5_000 }));
    assert.deepEqual([await rowsLeft(purged), await rowsLeft(purged, 'bucket_chunks')], [0, 0]);
    assert.deepEqual(await historiesOf(kept), expected);
  });

  it('is removed when it is too old, in whole chunks', async () => {
    const deviceNo = await registerDevice(app);
    await append(readingsOf(deviceNo));
    await compressAll();
    const fiveMinutesBeforeMs = START_MS + 8 * DAY_MS;
    const chunks = await rowsLeft(deviceNo, 'bucket_chunks');
    while ((await app.telemetry.expire({ rawBeforeMs: 0, fiveMinutesBeforeMs, rowsMax: 500 })) > 0);
    assert.ok((await rowsLeft(deviceNo, 'bucket_chunks')) < chunks);
    const lane = { group: 1, slot: 0 as const };
    const range = { deviceNo, lane, fromMs: START_MS - 9 * DAY_MS, toMs: NOW_MS + DAY_MS };
    const [first] = await app.telemetry.history({ ...range, interval: '5m' });
    assert.ok(first !== undefined && first.startMs > START_MS && first.startMs <= fiveMinutesBeforeMs);
    const [hour] = await app.telemetry.history({ ...range, interval: '1h' });
    assert.ok(hour !== undefined && hour.startMs <= START_MS);
  });
});
