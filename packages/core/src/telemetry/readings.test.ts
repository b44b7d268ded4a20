import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANNEL_NAMES, CHANNELS } from '@granary/contract/telemetry/channels';
import { namedValue, readingOf } from '@granary/testing/core/readings';
import fc from 'fast-check';
import { FRESHNESS_MS, NEVER_SEEN } from '../devices/status.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { currentReadings, sensorStatus } from './current-readings.ts';
import { isPlausible } from './plausibility.ts';
import { acceptReading, isFault, type Reading } from './readings.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const silo = { ...NEVER_SEEN, capacityKg: 1_000 };
const WINDOW = { oldestMs: NOW_MS - 1_000, newestMs: NOW_MS + 1_000 };

test('a reading is stored in milliseconds and whole smallest units', () => {
  const sent = { ts: '2026-03-01T13:00:00.250+01:00', weight: 1234.5678, temperature: -3.2 };
  const expected = readingOf(7, NOW_MS + 250, { weight: 1_234_568, temperature: -3_200 });
  assert.deepEqual(acceptReading({ deviceNo: 7 }, sent, WINDOW), [expected]);
});

const REFUSED = [
  [{ ts: NOW_MS + 1_001, weight: 1 }, '/ts'],
  [{ ts: NOW_MS - 1_001, weight: 1 }, '/ts'],
  [{ ts: '2026-02-30T99:00:00Z', weight: 1 }, '/ts'],
  [{ ts: NOW_MS, weight: 1e300 }, '/weight'],
  [{ ts: NOW_MS, humidity: -1e300 }, '/humidity'],
  [{ ts: NOW_MS, weight: 1, bad: ['wieght'] }, '/bad/0'],
  [{ ts: NOW_MS, weight: 1, bad: ['weight', 'humidity'] }, '/bad/1'],
  [{ ts: NOW_MS, weight: 1, bad: ['constructor'] }, '/bad/0'],
  [{ ts: NOW_MS, weight: 1, bad: ['ts'] }, '/bad/0'],
  [{ ts: NOW_MS, bad: ['weight'] }, '/bad/0'],
] as const;

for (const [sent, path] of REFUSED) {
  test(`${JSON.stringify(sent)} is refused for ${path}`, () => {
    const result = acceptReading({ deviceNo: 1 }, sent, WINDOW);
    assert.ok(isFault(result));
    assert.equal(result.path, path);
  });
}

test('implausible values are kept apart, by range and by the capacity of the silo', () => {
  const sent = { ts: NOW_MS, weight: 1_500, temperature: 20, humidity: 101 };
  assert.deepEqual(acceptReading({ deviceNo: 1, capacityKg: 1_000 }, sent, WINDOW), [
    readingOf(1, NOW_MS, { temperature: 20_000 }, { weight: 1_500_000, humidity: 101_000 }),
  ]);
  assert.deepEqual(acceptReading({ deviceNo: 1, capacityKg: 2_000 }, sent, WINDOW), [
    readingOf(1, NOW_MS, { weight: 1_500_000, temperature: 20_000 }, { humidity: 101_000 }),
  ]);
});

test('exactly the values that the device says are not valid are stored as bad, whatever their number', () => {
  const values = fc.record({
    weight: fc.integer({ min: 0, max: 1_000 }),
    temperature: fc.integer({ min: -40, max: 80 }),
    humidity: fc.integer({ min: 0, max: 100 }),
  });
  const marked = fc.subarray(['weight', 'temperature', 'humidity'] as const, { minLength: 1 });
  fc.assert(
    fc.property(values, marked, (sent, bad) => {
      const [plain] = acceptReading(
        { deviceNo: 1, capacityKg: 1_000 },
        { ts: NOW_MS, ...sent },
        WINDOW,
      ) as Reading[];
      const result = acceptReading({ deviceNo: 1, capacityKg: 1_000 }, { ts: NOW_MS, ...sent, bad }, WINDOW);
      const badMask = bad.reduce((mask, name) => mask | (1 << STANDARD_SENSORS[name].lane.slot), 0);
      assert.deepEqual(result, [{ ...plain, badMask }]);
    }),
  );
});

test('no sequence of plausible values makes a sum too large', () => {
  const readingsIn5Minutes = 5 * 60_000;
  const readingsInDay = 86_400_000;
  for (const channel of CHANNEL_NAMES) {
    const { scale } = CHANNELS[channel];
    const isPossible = (stored: number) =>
      isPlausible(STANDARD_SENSORS[channel], stored / scale, Number.MAX_VALUE);
    const exactMax = Math.ceil(Number.MAX_SAFE_INTEGER / readingsIn5Minutes);
    assert.deepEqual([isPossible(exactMax), isPossible(-exactMax)], [false, false], channel);
    const wholeMax = Math.ceil(Number(2n ** 63n / BigInt(readingsInDay)));
    assert.deepEqual([isPossible(wholeMax), isPossible(-wholeMax)], [false, false], channel);
  }
});

const NOW_S = NOW_MS / 1_000;
const WRONG_UNITS = { seconds: NOW_S, microseconds: NOW_S * 1e6, nanoseconds: NOW_S * 1e9 };

for (const [unit, ts] of Object.entries(WRONG_UNITS)) {
  test(`a time in ${unit} is named as such`, () => {
    assert.deepEqual(acceptReading({ deviceNo: 1 }, { ts, weight: 1 }, WINDOW), {
      path: '/ts',
      message: `looks like ${unit}; send milliseconds or ISO 8601`,
    });
  });
}

test('what a device sends with three decimals is read back exactly', () => {
  const thousandths = fc.integer({ min: -60_000, max: 120_000 });
  fc.assert(
    fc.property(thousandths, (value) => {
      const result = acceptReading({ deviceNo: 1 }, { ts: NOW_MS, temperature: value / 1_000 }, WINDOW);
      assert.ok(!isFault(result));
      const [reading] = result;
      const stored = reading && namedValue(reading, 'temperature')?.value;
      assert.equal((stored ?? Number.NaN) / CHANNELS.temperature.scale, value / 1_000);
    }),
  );
});

test('a silo that never reported shows every key and no value', () => {
  const { level, temperature, humidity } = currentReadings({}, silo, NOW_MS);
  assert.deepEqual([level.current, level.actual, level.timestamp, level.quality], [null, null, null, 'bad']);
  assert.deepEqual([temperature.current, humidity.current], [null, null]);
  assert.equal(sensorStatus(level), 'inactive');
});

test('level is weight over capacity, with the time and quality of the weight', () => {
  const { level } = currentReadings({ weight: { value: 785_000, tsMs: NOW_MS } }, silo, NOW_MS);
  assert.deepEqual(level, {
    current: 78.5,
    unit: 'percent',
    actual: 785,
    actual_unit: 'kg',
    timestamp: '2026-03-01T12:00:00.000Z',
    quality: 'good',
  });
});

const QUALITIES = [
  ['fresh', { value: 500_000, tsMs: NOW_MS - FRESHNESS_MS }, 'good', 'active'],
  ['old', { value: 500_000, tsMs: NOW_MS - FRESHNESS_MS - 1 }, 'stale', 'stale'],
  ['a little below empty', { value: -20_000, tsMs: NOW_MS }, 'good', 'active'],
  ['far below empty', { value: -21_000, tsMs: NOW_MS }, 'bad', 'fault'],
  ['a little over full', { value: 1_100_000, tsMs: NOW_MS }, 'good', 'active'],
  ['said to be invalid', { value: 500_000, tsMs: NOW_MS, isBad: true }, 'bad', 'fault'],
  ['far over full', { value: 1_101_000, tsMs: NOW_MS }, 'bad', 'fault'],
] as const;

for (const [name, weight, quality, status] of QUALITIES) {
  test(`a weight that is ${name} is ${quality}, its sensor ${status}`, () => {
    const { level } = currentReadings({ weight }, silo, NOW_MS);
    assert.equal(level.quality, quality);
    assert.equal(sensorStatus(level), status);
  });
}

test('a value stays good for three reporting intervals of its device', () => {
  const fiveMinutes = { reportingIntervalMs: 300_000, capacityKg: 1_000 };
  const qualityAt = (ageMs: number) =>
    currentReadings({ weight: { value: 1, tsMs: NOW_MS - ageMs } }, fiveMinutes, NOW_MS).level.quality;
  assert.equal(qualityAt(900_000), 'good');
  assert.equal(qualityAt(900_001), 'stale');
});
