import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { CHANNEL_NAMES, type ChannelName } from '@granary/contract/telemetry/channels';
import { INTERVALS, type Interval } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Bucket } from '@granary/core/telemetry/history';
import { distinctReadings, newestValues, packReadings, type Reading } from '@granary/core/telemetry/readings';
import { rollUp } from '@granary/core/telemetry/rollup';
import { describeEachEngine } from '@granary/testing/app/engines';
import { batchOf, latestOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import { everyRawRow, rawReadings, rawRowOf } from '@granary/testing/app/raw-readings';
import { type NamedValues, readingsOf } from '@granary/testing/core/readings';
import fc from 'fast-check';
import type { App } from '../app.ts';
import { READINGS_PER_APPEND_MAX } from './telemetry.ts';

const PROPERTY_RUNS = 15;
const STEP_MS = 67_000;

interface Sent {
  readonly step: number;
  readonly values: NamedValues;
  readonly badValues?: NamedValues;
}

const someValues = fc
  .record({ weight: fc.integer(), humidity: fc.integer(), latitude: fc.integer() }, { requiredKeys: [] })
  .filter((values) => Object.keys(values).length > 0);

const step = fc.integer({ min: -1_500, max: 1_500 });
/** About a quarter of the readings has only good values, a quarter only bad ones, and the others have both. */
const sentReadings: fc.Arbitrary<Sent[]> = fc.uniqueArray(
  fc.oneof(
    fc.record({ step, values: someValues }),
    fc.record({ step, values: fc.constant({}), badValues: someValues }),
    fc.record({
      step,
      values: fc.record({ weight: fc.integer() }),
      badValues: fc.record(
        { humidity: fc.integer(), latitude: fc.integer() },
        { requiredKeys: ['humidity'] },
      ),
    }),
    fc.record({
      step,
      values: fc.record({ humidity: fc.integer() }),
      badValues: fc.record({ weight: fc.integer() }),
    }),
  ),
  { selector: (sent) => sent.step, minLength: 1, maxLength: 40 },
);

/** Each reading is delivered up to three times, complete or in parts, shuffled and split into batches. */
const deliveries = sentReadings.chain((sent) => {
  const parts: Sent[] = sent.flatMap(({ step: at, values, badValues = {} }) => [
    ...Object.entries(values).map(([channel, value]) => ({ step: at, values: { [channel]: value } })),
    ...Object.entries(badValues).map(([channel, value]) => ({
      step: at,
      values: {},
      badValues: { [channel]: value },
    })),
  ]);
  return fc.record({
    sent: fc.constant(sent),
    delivered: fc
      .tuple(fc.subarray(sent), fc.subarray(parts))
      .chain((more) =>
        fc.shuffledSubarray([...sent, ...more.flat()], { minLength: sent.length + more.flat().length }),
      ),
    batchSize: fc.integer({ min: 1, max: 50 }),
  });
});

function expectedHistory(readings: readonly Reading[], channel: ChannelName, interval: Interval): Bucket[] {
  const { group, slot } = STANDARD_SENSORS[channel].lane;
  return rollUp(distinctReadings(readings))
    .filter((rollup) => rollup.group === group && rollup.slot === slot && rollup.interval === interval)
    .map(({ startMs, sum, count, min, max, last, lastTsMs, bad }) => {
      const none = { min: null, max: null, last: null, lastTsMs: null };
      const figures = count === 0 ? none : { min, max, last, lastTsMs };
      return { startMs, sum, count, ...figures, badCount: bad?.count ?? 0 };
    });
}

describeEachEngine('telemetry', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const append = (...readings: Reading[]) => app.telemetry.append(batchOf({ readings }));
  const wholeHistory = (deviceNo: number, channel: ChannelName, interval: Interval) =>
    app.telemetry.history({
      deviceNo,
      lane: STANDARD_SENSORS[channel].lane,
      interval,
      fromMs: NOW_MS - 9 * DAY_MS,
      toMs: NOW_MS + 9 * DAY_MS,
    });

  it('stores packed readings like others, and shows their values at once', async () => {
    const deviceId = 'packed';
    const deviceNo = await registerDevice(app, { deviceId });
    await append(reading(deviceNo, NOW_MS, { weight: 1_000 }));
    await app.telemetry.current(deviceId);
    const readings = [
      reading(deviceNo, NOW_MS, { weight: 1_000 }),
      reading(deviceNo, NOW_MS + 1, { weight: 2_000 }),
    ];
    const receipt = await app.telemetry.append(batchOf({ readings: packReadings(readings) }));
    assert.deepEqual(receipt, { stored: 1, repeated: 1 });
    assert.equal((await app.telemetry.current(deviceId))?.latest.weight?.tsMs, NOW_MS + 1);
  });

  it('answers buckets that start in the range, in order of time', async () => {
    const deviceNo = await registerDevice(app);
    const hour = (n: number) => NOW_MS + n * HOUR_MS;
    const first = reading(deviceNo, hour(0), { weight: 10, temperature: -5 });
    const second = reading(deviceNo, hour(1) - 1, { weight: 30 });
    await append(reading(deviceNo, hour(40), { weight: 7 }), second, first);
    const range = { deviceNo, lane: STANDARD_SENSORS.weight.lane, interval: '1h' } as const;
    const bucket = {
      startMs: hour(0),
      sum: 40,
      count: 2,
      min: 10,
      max: 30,
      last: 30,
      lastTsMs: hour(1) - 1,
      badCount: 0,
    };
    const later = {
      startMs: hour(40),
      sum: 7,
      count: 1,
      min: 7,
      max: 7,
      last: 7,
      lastTsMs: hour(40),
      badCount: 0,
    };
    assert.deepEqual(await app.telemetry.history({ ...range, fromMs: hour(0), toMs: hour(41) }), [
      bucket,
      later,
    ]);
    assert.deepEqual(await app.telemetry.history({ ...range, fromMs: hour(0), toMs: hour(40) }), [bucket]);
    assert.deepEqual(await app.telemetry.history({ ...range, fromMs: hour(0) + 1, toMs: hour(40) }), []);
  });

  it('has the latest value of each channel, also when an older one arrives later', async () => {
    const deviceNo = await registerDevice(app);
    assert.deepEqual(await latestOf(app, deviceNo), {});
    await append(reading(deviceNo, NOW_MS, { weight: 1, humidity: 2 }));
    await append(reading(deviceNo, NOW_MS - 1, { weight: 9, temperature: -3 }));
    assert.deepEqual(await latestOf(app, deviceNo), {
      weight: { value: 1, tsMs: NOW_MS },
      temperature: { value: -3, tsMs: NOW_MS - 1 },
      humidity: { value: 2, tsMs: NOW_MS },
    });
  });

  it('stores every channel', async () => {
    const deviceNo = await registerDevice(app);
    const values = Object.fromEntries(CHANNEL_NAMES.map((channel, n) => [channel, n + 1]));
    await append(...readingsOf(deviceNo, NOW_MS, values));
    const latest = await latestOf(app, deviceNo);
    assert.deepEqual(
      CHANNEL_NAMES.map((channel) => latest[channel]?.value),
      Object.values(values),
    );
  });

  it('stores a repeated reading once: the first values stay, missing ones are added', async () => {
    const deviceNo = await registerDevice(app);
    const first = await append(
      reading(deviceNo, NOW_MS, { weight: 5 }),
      reading(deviceNo, NOW_MS, { weight: 6, humidity: 7 }),
    );
    assert.partialDeepStrictEqual(first, { stored: 1, repeated: 1 });
    const again = await append(
      reading(deviceNo, NOW_MS, { weight: 8, temperature: 9 }),
      reading(deviceNo, NOW_MS + 1, { weight: 1 }),
    );
    assert.partialDeepStrictEqual(again, { stored: 2, repeated: 0 });
    const last = await append(reading(deviceNo, NOW_MS, { weight: 4 }));
    assert.partialDeepStrictEqual(last, { stored: 0, repeated: 1 });
    const raw = (await rawReadings(engine.location)).filter((one) => one.deviceNo === deviceNo);
    assert.deepEqual(
      raw.map(({ tsMs, a, b, c }) => [tsMs, a, b, c]),
      [
        [NOW_MS, 5, 9, 7],
        [NOW_MS + 1, 1, null, null],
      ],
    );
    assert.deepEqual(
      (await wholeHistory(deviceNo, 'weight', '1d')).map(({ sum, count }) => [sum, count]),
      [[6, 2]],
    );
    assert.deepEqual(
      (await wholeHistory(deviceNo, 'temperature', '5m')).map(({ sum }) => sum),
      [9],
    );
  });

  it('keeps the values of all groups of one time, also the largest ones, and adds groups that arrive later', async () => {
    const deviceNo = await registerDevice(app);
    const row = { deviceNo, tsMs: NOW_MS, a: null, b: null, c: null, badMask: 0 };
    const largest = Number.MAX_SAFE_INTEGER;
    const first = [
      { ...row, group: 1, a: largest, b: -largest, badMask: 0b11 },
      { ...row, group: 70, c: -1 },
      { ...row, group: 70, tsMs: NOW_MS + 1, a: 0 },
    ];
    const later = [
      { ...row, group: 1, b: 5, c: 2 ** 31, badMask: 0b100 },
      { ...row, group: 4, a: -128, b: 127, c: 128 },
      { ...row, group: 300, b: -(2 ** 31) - 1, badMask: 0b10 },
    ];
    assert.partialDeepStrictEqual(await append(...first), { stored: 3, repeated: 0 });
    assert.partialDeepStrictEqual(await append(...later), { stored: 3, repeated: 0 });
    assert.partialDeepStrictEqual(await append(...later, ...first), { stored: 0, repeated: 6 });
    const raw = (await rawReadings(engine.location)).filter((one) => one.deviceNo === deviceNo);
    assert.deepEqual(raw, [
      { ...row, group: 1, a: largest, b: -largest, c: 2 ** 31, badMask: 0b111 },
      later[1],
      first[1],
      later[2],
      first[2],
    ]);
    for (const rowsMax of [1, 2, 100]) {
      const rows = await everyRawRow(app, { deviceNos: [deviceNo], groups: [4, 70, 300], rowsMax });
      assert.deepEqual(rows, raw.slice(1).map(rawRowOf));
    }
  });

  it('has the same history and latest values in whatever order and parts the readings arrive', async () => {
    const property = fc.asyncProperty(deliveries, async ({ sent, delivered, batchSize }) => {
      const deviceNo = await registerDevice(app);
      const toReadings = ({ step: at, values, badValues }: Sent) =>
        readingsOf(deviceNo, NOW_MS + at * STEP_MS, values, badValues);
      for (let from = 0; from < delivered.length; from += batchSize) {
        await append(...delivered.slice(from, from + batchSize).flatMap(toReadings));
      }
      const readings = sent.flatMap(toReadings);
      for (const channel of ['weight', 'humidity', 'latitude'] as const) {
        for (const interval of INTERVALS) {
          const expected = expectedHistory(readings, channel, interval);
          assert.deepEqual(await wholeHistory(deviceNo, channel, interval), expected);
        }
      }
      const newest = newestValues(distinctReadings(readings));
      const latest = newest.map(({ group, slot, value, tsMs, isBad }) => {
        const isHere = (name: ChannelName) => {
          const { lane } = STANDARD_SENSORS[name];
          return lane.group === group && lane.slot === slot;
        };
        return [CHANNEL_NAMES.find(isHere), isBad ? { value, tsMs, isBad } : { value, tsMs }];
      });
      assert.deepEqual(await latestOf(app, deviceNo), Object.fromEntries(latest));
      const raw = (await rawReadings(engine.location)).filter((one) => one.deviceNo === deviceNo);
      assert.deepEqual(raw, structuredClone(distinctReadings(readings)));
    });
    await fc.assert(property, { numRuns: PROPERTY_RUNS });
  });

  it('counts a reading once that two nodes store at the same time', async () => {
    const other = await engine.open();
    const devices = [await registerDevice(app), await registerDevice(app)];
    const readings = devices.flatMap((deviceNo) =>
      Array.from({ length: 300 }, (_, n) =>
        reading(deviceNo, NOW_MS + n * MINUTE_MS, { weight: n, humidity: 1 }),
      ),
    );
    const parts = readings.map((whole) => ({ ...whole, c: null }));
    await Promise.all(
      [readings, readings.toReversed(), parts, readings].map((batch, turn) =>
        (turn % 2 ? app : other).telemetry.append(batchOf({ readings: batch })),
      ),
    );
    for (const deviceNo of devices) {
      const own = readings.filter((one) => one.deviceNo === deviceNo);
      for (const interval of INTERVALS) {
        for (const channel of ['weight', 'humidity'] as const) {
          const expected = expectedHistory(own, channel, interval);
          assert.deepEqual(await wholeHistory(deviceNo, channel, interval), expected);
        }
      }
    }
  });

  it('answers sums that are too large for an exact JavaScript number', async () => {
    const deviceNo = await registerDevice(app);
    await append(reading(deviceNo, NOW_MS, { weight: 1 }), reading(deviceNo, NOW_MS + DAY_MS, { weight: 1 }));
    const large = 8e17;
    await engine.query(`UPDATE buckets SET a_sum = ${large} WHERE device_no = ${deviceNo}`);
    assert.equal((await wholeHistory(deviceNo, 'weight', '1d'))[0]?.sum, large);
  });

  it('refuses a batch whose sums could lose digits', async () => {
    const readings = Array.from({ length: READINGS_PER_APPEND_MAX + 1 }, (_, n) =>
      reading(1, n, { weight: 1 }),
    );
    await assert.rejects(append(...readings), /readings; 50000 fit/);
  });
});

describeEachEngine('retention', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  it('removes old rows a few at a time and keeps the buckets of hours and days', async () => {
    const deviceNo = await registerDevice(app);
    const oldMs = NOW_MS - 40 * DAY_MS;
    const times = [oldMs, oldMs + HOUR_MS, oldMs + 3 * HOUR_MS, NOW_MS];
    await app.telemetry.append(
      batchOf({ readings: times.map((tsMs) => reading(deviceNo, tsMs, { weight: 1 })) }),
    );
    const limits = { rawBeforeMs: NOW_MS - DAY_MS, fiveMinutesBeforeMs: NOW_MS - DAY_MS, rowsMax: 2 };
    const removed: number[] = [];
    do removed.push(await app.telemetry.expire(limits));
    while (removed.at(-1) !== 0);
    assert(removed.every((count) => count <= 2 * limits.rowsMax));
    assert.deepEqual(await engine.query('SELECT ts_ms FROM readings'), [[NOW_MS]]);
    const kept = INTERVALS.map(async (interval) => {
      const range = {
        deviceNo,
        lane: STANDARD_SENSORS.weight.lane,
        interval,
        fromMs: 0,
        toMs: NOW_MS + DAY_MS,
      };
      return [interval, (await app.telemetry.history(range)).length];
    });
    assert.deepEqual(await Promise.all(kept), [
      ['5m', 1],
      ['1h', 4],
      ['1d', 2],
    ]);
  });

  it('stores readings of a day whose partition another node has removed', async () => {
    const other = await engine.open();
    const deviceNo = await registerDevice(app);
    const oldMs = NOW_MS - 90 * DAY_MS;
    const appendAt = (tsMs: number) =>
      app.telemetry.append(batchOf({ readings: [reading(deviceNo, tsMs, { weight: 3 })] }));
    await appendAt(oldMs);
    await other.telemetry.expire({ rawBeforeMs: oldMs + DAY_MS, fiveMinutesBeforeMs: 0, rowsMax: 100 });
    assert.partialDeepStrictEqual(await appendAt(oldMs + 1), { stored: 1, repeated: 0 });
  });
});

describeEachEngine('the latest values of a device', (engine) => {
  it('are those of the last commit, however often they were read before', async () => {
    const app = await engine.open();
    const deviceNo = await registerDevice(app, { deviceId: 'watched' });
    const weightNow = async () => (await app.telemetry.current('watched'))?.latest.weight?.value;
    assert.equal(await weightNow(), undefined);
    for (let round = 1; round <= 20; round++) {
      const readings = [reading(deviceNo, 1_000 * round, { weight: round })];
      await app.telemetry.append({ readings, seen: [], rejections: [] });
      assert.deepEqual([await weightNow(), await weightNow()], [round, round]);
    }
    assert.equal(await app.telemetry.current('unknown'), undefined);
  });
});
