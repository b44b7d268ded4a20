import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SensorDeclaration } from '@granary/contract/devices/sensors';
import fc from 'fast-check';
import { NEVER_SEEN } from '../devices/status.ts';
import { declareSensors } from '../sensors/declare-sensors.ts';
import { NO_SENSORS, SENSORS_DOCUMENT, sensorsInUse } from '../sensors/declared-sensors.ts';
import type { LatestValue } from '../sensors/sensor.ts';
import { declaredReadings } from './current-readings.ts';
import { historyPoints, planFieldHistory } from './history.ts';
import { acceptReading, isFault, type Reading, undeclaredIn } from './readings.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const WINDOW = { oldestMs: NOW_MS - 1_000, newestMs: NOW_MS + 1_000 };

const sensorsFrom = (declarations: readonly SensorDeclaration[]) =>
  sensorsInUse(SENSORS_DOCUMENT.write(declareSensors(NO_SENSORS, declarations)));

/** Four sensors: three of one group and one of the next. */
const SENSORS = sensorsFrom([
  { sensor_id: 'co2', type: 'co2', unit: 'ppm', precision: 0, min: 0, max: 5_000 },
  { sensor_id: 'cable-1', type: 'temperature', unit: 'celsius', precision: 1, min: -40, max: 80 },
  { sensor_id: 'constructor', type: 'voltage', unit: 'V', precision: 6 },
  { sensor_id: 'slow', type: 'ph', unit: 'pH', min: 0, max: 14, reporting_interval_s: 3_600 },
]);
const source = { deviceNo: 7, declared: new Map(SENSORS.map((sensor) => [sensor.sensorId, sensor])) };

const row = (group: number, fields: Partial<Reading>): Reading => ({
  deviceNo: 7,
  tsMs: NOW_MS,
  group,
  a: null,
  b: null,
  c: null,
  badMask: 0,
  ...fields,
});

const accept = (sensors: Record<string, number>, values = {}) =>
  acceptReading(source, { ts: NOW_MS, ...values, sensors }, WINDOW);

test('values are stored in the row of their group, in whole numbers of their precision', () => {
  const readings = accept({ slow: 7.0004, co2: 412.5, 'cable-1': -3.25 }, { weight: 1.5 });
  assert.deepEqual(readings, [row(1, { a: 1_500 }), row(101, { a: 7_000 }), row(100, { a: 413, b: -32 })]);
});

test('a value outside the declared range is stored as bad, and the others of its row are not', () => {
  assert.deepEqual(accept({ co2: 5_001, 'cable-1': 80, slow: -0.001 }), [
    row(100, { a: 5_001, b: 800, badMask: 0b001 }),
    row(101, { a: -1, badMask: 0b001 }),
  ]);
});

test('a value is judged after it is rounded to its precision', () => {
  assert.deepEqual(accept({ co2: 5_000.4, 'cable-1': 80.04 }), [row(100, { a: 5_000, b: 800 })]);
});

test('a declared value that the device says is not valid is stored as bad, one that is not declared is left out', () => {
  const sent = { ts: NOW_MS, weight: 1, sensors: { co2: 400, 'cable-1': 5, ghost: 1 } };
  assert.deepEqual(acceptReading(source, { ...sent, bad: ['cable-1', 'ghost', 'weight'] }, WINDOW), [
    row(1, { a: 1_000, badMask: 0b001 }),
    row(100, { a: 400, b: 50, badMask: 0b010 }),
  ]);
});

test('values of undeclared sensors are left out and named', () => {
  const sent = { ts: NOW_MS, weight: 2, sensors: { ghost: 1, co2: 400, toString: 2 } };
  assert.deepEqual(acceptReading(source, sent, WINDOW), [row(1, { a: 2_000 }), row(100, { a: 400 })]);
  assert.deepEqual(undeclaredIn(source, sent), ['ghost', 'toString']);
  assert.deepEqual(undeclaredIn({ deviceNo: 7 }, sent), ['ghost', 'co2', 'toString']);
  assert.deepEqual(acceptReading({ deviceNo: 7 }, { ts: NOW_MS, sensors: { co2: 1 } }, WINDOW), []);
});

test('a number that cannot be stored is refused with the path of its sensor', () => {
  for (const value of [1e308, -1e308, 9_007_199_255, Number.MAX_VALUE]) {
    const result = accept({ constructor: value });
    assert.ok(isFault(result), String(value));
    assert.partialDeepStrictEqual(result, { path: '/sensors/constructor', message: 'is out of any range' });
  }
  assert.deepEqual(accept({ constructor: 9_007_199_254 }), [
    row(100, { c: 9_007_199_254_000_000, badMask: 0b100 }),
  ]);
});

test('the smallest numbers are stored as 0', () => {
  for (const value of [5e-324, -5e-324, -0, 4.9e-7]) {
    const result = accept({ constructor: value });
    assert.ok(!isFault(result));
    assert.ok(result[0]?.c === 0, String(value));
  }
});

test('a value with the decimals of its precision is read back exactly, and its mean too', () => {
  const wanted = fc.record({
    precision: fc.integer({ min: 0, max: 6 }),
    stored: fc.integer({ min: -1e10, max: 1e10 }),
  });
  fc.assert(
    fc.property(wanted, ({ precision, stored }) => {
      const [sensor] = sensorsFrom([{ sensor_id: 'x', type: 'x', unit: 'x', precision }]);
      assert.ok(sensor !== undefined);
      const value = Number((stored / 10 ** precision).toFixed(precision));
      const declared = new Map([['x', sensor]]);
      const accepted = acceptReading(
        { deviceNo: 7, declared },
        { ts: NOW_MS, sensors: { x: value } },
        WINDOW,
      );
      assert.deepEqual(accepted, [row(100, { a: stored })]);
      const { sensors } = declaredReadings(
        [sensor],
        { x: { value: stored, tsMs: NOW_MS } },
        NEVER_SEEN,
        NOW_MS,
      );
      assert.deepEqual([sensors?.['x']?.current, sensors?.['x']?.quality], [value, 'good']);
      const plan = planFieldHistory({ sensor: 'x' }, [sensor], NOW_MS);
      const figures = { min: stored, max: stored, last: stored, lastTsMs: 0 };
      const bucket = { startMs: 0, sum: 3 * stored, count: 3, badCount: 0, ...figures };
      assert.equal(historyPoints([bucket], plan, null)[0]?.value, value);
    }),
  );
});

test('a value stays good for three intervals of its sensor, or of the device when the sensor has none', () => {
  const device = { reportingIntervalMs: 10_000 };
  const qualityOf = (id: string, value: number, ageMs: number) => {
    const latest: Record<string, LatestValue> = { [id]: { value, tsMs: NOW_MS - ageMs } };
    return declaredReadings(SENSORS, latest, device, NOW_MS).sensors?.[id]?.quality;
  };
  assert.deepEqual([qualityOf('co2', 400, 30_000), qualityOf('co2', 400, 30_001)], ['good', 'stale']);
  const hours = 3 * 3_600_000;
  assert.deepEqual([qualityOf('slow', 7_000, hours), qualityOf('slow', 7_000, hours + 1)], ['good', 'stale']);
  assert.equal(qualityOf('slow', 15_000, 0), 'bad');
});

test('every declared sensor has an entry, without a value until it reports, and no sensors give no entry', () => {
  const { sensors } = declaredReadings(SENSORS, {}, NEVER_SEEN, NOW_MS);
  assert.deepEqual(Object.keys(sensors ?? {}), ['co2', 'cable-1', 'constructor', 'slow']);
  const never = { current: null, unit: 'V', timestamp: null, quality: 'bad' };
  assert.deepEqual(Object.entries(sensors ?? {})[2], ['constructor', never]);
  assert.deepEqual(declaredReadings([], {}, NEVER_SEEN, NOW_MS), {});
});
