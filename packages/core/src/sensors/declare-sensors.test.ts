import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DEFAULT_PRECISION,
  PRECISION_MAX,
  SENSORS_DECLARED_MAX,
  type SensorDeclaration,
} from '@granary/contract/devices/sensors';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import { CHANNEL_NAMES } from '@granary/contract/telemetry/channels';
import fc from 'fast-check';
import { isPlausible } from '../telemetry/plausibility.ts';
import { declareSensors, SENSORS_EVER_MAX } from './declare-sensors.ts';
import {
  type DeclaredSensors,
  declaredSensors,
  isInUse,
  largestValue,
  NO_SENSORS,
  SENSORS_DOCUMENT,
  scaleOf,
  sensorsInUse,
} from './declared-sensors.ts';
import { STANDARD_SENSORS } from './standard-sensors.ts';

const cable = (index: number, fields: Partial<SensorDeclaration> = {}): SensorDeclaration => ({
  sensor_id: `cable-${index}`,
  type: 'temperature',
  unit: 'celsius',
  ...fields,
});

const declare = (...declarations: SensorDeclaration[]): DeclaredSensors =>
  declareSensors(NO_SENSORS, declarations);

const inUse = ({ sensors }: DeclaredSensors): string[] =>
  sensors.filter(isInUse).map(({ sensorId }) => sensorId);

const laneOf = ({ sensors }: DeclaredSensors, sensorId: string) =>
  sensors.find((sensor) => sensor.sensorId === sensorId)?.lane;

function refusalOf(attempt: () => unknown): { readonly code: ErrorCode; readonly paths: readonly string[] } {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Refusal) {
      return { code: error.code, paths: (error.details ?? []).map(({ path }) => path) };
    }
    throw error;
  }
  throw new Error('it was not refused');
}

test('a declaration is stored with its defaults, in lanes behind those of the standard sensors', () => {
  const full = cable(2, { precision: 1, min: -40, max: 80, reporting_interval_s: 60 });
  const { sensors } = declare(cable(1), full);
  const common = { type: 'temperature', unit: 'celsius', isRemoved: false };
  assert.deepEqual(sensors, [
    {
      ...common,
      sensorId: 'cable-1',
      precision: DEFAULT_PRECISION,
      min: -1e7,
      max: 1e7,
      reportingIntervalS: null,
      lane: { group: 100, slot: 0 },
    },
    {
      ...common,
      sensorId: 'cable-2',
      precision: 1,
      min: -40,
      max: 80,
      reportingIntervalS: 60,
      lane: { group: 100, slot: 1 },
    },
  ]);
  const standardGroups = Object.values(STANDARD_SENSORS).map(({ lane }) => lane.group);
  assert.ok(Math.max(...standardGroups) < 100);
});

test('a list replaces the one before; a sensor that is missing is removed and keeps its lane', () => {
  const before = declare(cable(1), cable(2));
  const after = declareSensors(before, [cable(3), cable(1)]);
  assert.deepEqual(inUse(after), ['cable-3', 'cable-1']);
  for (const id of ['cable-1', 'cable-2']) assert.deepEqual(laneOf(after, id), laneOf(before, id));
  assert.deepEqual(laneOf(after, 'cable-3'), { group: 100, slot: 2 });
  assert.deepEqual(inUse(declareSensors(after, [])), []);
});

test('a removed sensor that is declared again continues in its lane, with a new range and interval', () => {
  const before = declare(cable(1), cable(2));
  const without = declareSensors(before, [cable(3)]);
  const again = declareSensors(without, [cable(2, { min: 0, max: 50, reporting_interval_s: 5 })]);
  assert.deepEqual(laneOf(again, 'cable-2'), laneOf(before, 'cable-2'));
  const [sensor] = sensorsInUse(SENSORS_DOCUMENT.write(again));
  assert.deepEqual([sensor?.min, sensor?.max, sensor?.reportingIntervalMs], [0, 50, 5_000]);
});

/** Any sequence of lists, also empty ones, over ids that come back again and again. */
const sequences = fc.array(
  fc
    .uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 12 })
    .map((indexes) => indexes.map((index) => cable(index))),
  { maxLength: 20 },
);

test('over any sequence of lists a lane belongs to one sensor, and a sensor has one lane, for ever', () => {
  fc.assert(
    fc.property(sequences, (lists) => {
      const owners = new Map<string, string>();
      const lanes = new Map<string, string>();
      let stored: string | null = null;
      for (const list of lists) {
        const declared = declareSensors(declaredSensors(stored), list);
        assert.deepEqual(
          inUse(declared),
          list.map(({ sensor_id }) => sensor_id),
        );
        for (const { sensorId, lane } of declared.sensors) {
          const place = `${lane.group}/${lane.slot}`;
          assert.equal(owners.get(place) ?? sensorId, sensorId);
          assert.equal(lanes.get(sensorId) ?? place, place);
          owners.set(place, sensorId);
          lanes.set(sensorId, place);
        }
        assert.equal(declared.sensors.length, owners.size, 'no sensor is ever forgotten');
        stored = SENSORS_DOCUMENT.write(declared);
      }
    }),
  );
});

for (const [name, fields, path] of [
  ['type', { type: 'humidity' }, '/sensors/1/type'],
  ['unit', { unit: 'kelvin' }, '/sensors/1/unit'],
  ['precision', { precision: 2 }, '/sensors/1/precision'],
  ['precision that is not given', { precision: undefined }, '/sensors/1/precision'],
] as const) {
  test(`another ${name} is refused, also for a removed sensor, because the history would change its meaning`, () => {
    const before = declare(cable(1, { precision: 1 }));
    const changed = { ...cable(1, { precision: 1 }), ...fields } as SensorDeclaration;
    for (const known of [before, declareSensors(before, [])]) {
      const refused = refusalOf(() => declareSensors(known, [cable(2), changed]));
      assert.deepEqual(refused, { code: 'sensor_conflict', paths: [path] });
    }
  });
}

test('a range and an interval may change, and the default precision may be given', () => {
  const before = declare(cable(1));
  const changed = cable(1, { precision: DEFAULT_PRECISION, min: 1, max: 2, reporting_interval_s: 9 });
  assert.deepEqual(inUse(declareSensors(before, [changed])), ['cable-1']);
});

for (const sensorId of [...CHANNEL_NAMES, 'level', 'ts', 'sensors']) {
  test(`${sensorId} has another meaning and cannot be declared`, () => {
    const refused = refusalOf(() => declare(cable(1), { ...cable(2), sensor_id: sensorId }));
    assert.deepEqual(refused, { code: 'sensor_conflict', paths: ['/sensors/1/sensor_id'] });
  });
}

for (const [name, declarations, paths] of [
  ['an id that is declared twice', [cable(1), cable(1)], ['/sensors/1/sensor_id']],
  ['a range without values', [cable(1, { min: 5, max: 5 })], ['/sensors/0/max']],
  ['a backward range', [cable(1, { min: 6, max: 5 })], ['/sensors/0/max']],
  ['a min at the largest value', [cable(1, { min: 1e7 })], ['/sensors/0/max']],
  ['a max at the smallest value', [cable(1, { max: -1e7 })], ['/sensors/0/max']],
  ['a max that cannot be stored', [cable(1, { max: 1e7 + 1 })], ['/sensors/0/max']],
  ['a min that cannot be stored', [cable(1, { min: -1e308 })], ['/sensors/0/min']],
  ['a range too large for six decimals', [cable(1, { precision: 6, max: 10_001 })], ['/sensors/0/max']],
  [
    'everything at once',
    [cable(1, { min: -1e9, max: 1e9 }), cable(1)],
    ['/sensors/0/min', '/sensors/0/max', '/sensors/1/sensor_id'],
  ],
] as const) {
  test(`${name} is refused`, () => {
    assert.deepEqual(
      refusalOf(() => declare(...declarations)),
      { code: 'invalid_input', paths },
    );
  });
}

test('a refused list changes nothing, because the declared sensors are a new value', () => {
  const before = declare(cable(1), cable(2));
  const copy = structuredClone(before);
  refusalOf(() => declareSensors(before, [cable(3), cable(1, { unit: 'kelvin' })]));
  assert.deepEqual(before, copy);
});

test('512 sensors over time are the most of a device; those that are known can still be declared', () => {
  let declared = NO_SENSORS;
  for (let first = 0; first < SENSORS_EVER_MAX; first += SENSORS_DECLARED_MAX) {
    const list = Array.from({ length: SENSORS_DECLARED_MAX }, (_, index) => cable(first + index));
    declared = declareSensors(declared, list);
  }
  const places = new Set(declared.sensors.map(({ lane }) => `${lane.group}/${lane.slot}`));
  assert.deepEqual([declared.sensors.length, places.size], [SENSORS_EVER_MAX, SENSORS_EVER_MAX]);
  const refused = refusalOf(() => declareSensors(declared, [cable(0), cable(SENSORS_EVER_MAX)]));
  assert.deepEqual(refused, { code: 'sensor_conflict', paths: ['/sensors'] });
  assert.deepEqual(inUse(declareSensors(declared, [cable(0), cable(7)])), ['cable-0', 'cable-7']);
});

test('no sequence of plausible values of a declared sensor makes a sum inexact', () => {
  const readingsIn5Minutes = 5 * 60_000;
  const readingsInDay = 86_400_000;
  const exactMax = Math.floor(Number.MAX_SAFE_INTEGER / readingsIn5Minutes);
  const wholeMax = Number(2n ** 63n / BigInt(readingsInDay));
  const range = fc.double({ noNaN: true, min: -1e308, max: 1e308 });
  const wanted = fc.record({
    precision: fc.integer({ min: 0, max: PRECISION_MAX }),
    min: fc.option(fc.oneof(range, fc.integer({ min: -10_000, max: 0 })), { nil: undefined }),
    max: fc.option(fc.oneof(range, fc.integer({ min: 1, max: 10_000 })), { nil: undefined }),
  });
  fc.assert(
    fc.property(wanted, fc.double({ noNaN: true }), ({ precision, min, max }, value) => {
      const declared = acceptedOrNull({
        ...cable(1, { precision }),
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      });
      const [sensor] = sensorsInUse(declared && SENSORS_DOCUMENT.write(declared));
      if (sensor === undefined) return;
      for (const candidate of [value, sensor.min, sensor.max]) {
        const stored = Math.round(candidate * sensor.scale);
        if (!isPlausible(sensor, stored / sensor.scale)) continue;
        assert.ok(Math.abs(stored) <= exactMax, `${stored} makes a sum of five minutes inexact`);
        assert.ok(Math.abs(stored) <= wholeMax, `${stored} makes a sum of a day too large`);
      }
    }),
    { numRuns: 1_000 },
  );
});

function acceptedOrNull(declaration: SensorDeclaration): DeclaredSensors | null {
  try {
    return declare(declaration);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

test('the largest value of every precision can be declared and is a whole number of its unit', () => {
  for (let precision = 0; precision <= PRECISION_MAX; precision++) {
    const largest = largestValue(precision);
    assert.ok(Number.isSafeInteger(largest * scaleOf(precision)));
    assert.deepEqual(inUse(declare(cable(1, { precision, min: -largest, max: largest }))), ['cable-1']);
  }
});
