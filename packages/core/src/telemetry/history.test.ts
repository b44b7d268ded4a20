import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { AGGREGATES } from '@granary/contract/telemetry/telemetry';
import { STANDARD_SENSORS, standardSensorsOf } from '../sensors/standard-sensors.ts';
import { historyPoints, joinParts, planSiloHistory } from './history.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const DAY_MS = 86_400_000;
const SENSORS = standardSensorsOf('silo_scale');

test('an empty query asks for the hourly level of the last day', () => {
  const asked = { name: 'level', sensor: STANDARD_SENSORS.weight, unit: null, hasRange: false };
  const plan = { ...asked, interval: '1h', aggregate: 'avg', fromMs: NOW_MS - DAY_MS, toMs: NOW_MS };
  assert.deepEqual(planSiloHistory({}, SENSORS, NOW_MS), plan);
});

test('from defaults to a day before to', () => {
  const { fromMs, toMs } = planSiloHistory({ to: '2026-01-02T00:00:00Z' }, SENSORS, NOW_MS);
  assert.equal(toMs - fromMs, DAY_MS);
});

const refusal = (text: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === 'invalid_input' && text.test(error.message);

test('an empty or backward range is refused', () => {
  const at = '2026-01-01T00:00:00Z';
  assert.throws(() => planSiloHistory({ from: at, to: at }, SENSORS, NOW_MS), refusal(/empty/));
  assert.throws(
    () => planSiloHistory({ from: '2026-01-02T00:00:00Z', to: at }, SENSORS, NOW_MS),
    refusal(/empty/),
  );
});

test('10,000 points are answered, one more is refused with the interval that would fit', () => {
  const query = { from: '2026-01-01T00:00:00Z', interval: '5m' } as const;
  const end = Date.parse(query.from) + 10_000 * 300_000;
  assert.ok(planSiloHistory({ ...query, to: new Date(end).toISOString() }, SENSORS, NOW_MS));
  const tooFar = { ...query, to: new Date(end + 300_000).toISOString() };
  assert.throws(
    () => planSiloHistory(tooFar, SENSORS, NOW_MS),
    refusal(/10001 points.*interval=1h would fit/),
  );
  const decades = { ...query, from: '1900-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
  assert.throws(() => planSiloHistory(decades, SENSORS, NOW_MS), refusal(/shorter range/));
});

test('each aggregate is shown in the unit of its sensor', () => {
  const figures = {
    sum: 3_000_000,
    count: 4,
    min: 500_000,
    max: 1_000_000,
    last: 900_000,
    lastTsMs: NOW_MS,
    badCount: 3,
  };
  const buckets = [{ startMs: NOW_MS, ...figures }];
  const shown = AGGREGATES.map(
    (aggregate) => historyPoints(buckets, planSiloHistory({ aggregate }, SENSORS, NOW_MS), 2_000)[0]?.value,
  );
  assert.deepEqual(shown, [37.5, 25, 50, 45, 150, 4, 3]);
  const temperature = historyPoints(
    buckets,
    planSiloHistory({ sensor: 'temperature' }, SENSORS, NOW_MS),
    2_000,
  );
  assert.deepEqual(temperature, [{ timestamp: '2026-03-01T12:00:00.000Z', value: 750 }]);
  const range = historyPoints(buckets, planSiloHistory({ include: 'range' }, SENSORS, NOW_MS), 2_000);
  assert.deepEqual(range, [{ timestamp: '2026-03-01T12:00:00.000Z', value: 37.5, min: 25, max: 50 }]);
  const onlyBad = {
    startMs: NOW_MS,
    sum: 0,
    count: 0,
    min: null,
    max: null,
    last: null,
    lastTsMs: null,
    badCount: 2,
  };
  const badPlan = planSiloHistory({ include: 'range', aggregate: 'bad_count' }, SENSORS, NOW_MS);
  assert.deepEqual(historyPoints([onlyBad], badPlan, 2_000), [
    { timestamp: '2026-03-01T12:00:00.000Z', value: 2 },
  ]);
});

test('a bucket of implausible values has no point but their number', () => {
  const bucket = {
    startMs: NOW_MS,
    sum: 0,
    count: 0,
    min: null,
    max: null,
    last: null,
    lastTsMs: null,
    badCount: 2,
  };
  for (const aggregate of AGGREGATES) {
    const points = historyPoints([bucket], planSiloHistory({ aggregate }, SENSORS, NOW_MS), 2_000);
    assert.deepEqual(
      points.map(({ value }) => value),
      aggregate === 'bad_count' ? [2] : [],
    );
  }
});

test('a silo has a history of its level, not of its weight, and of its declared sensors', () => {
  const lane = { group: 100, slot: 0 } as const;
  const co2 = { ...STANDARD_SENSORS.humidity, sensorId: 'co2', type: 'co2', unit: 'ppm', scale: 1, lane };
  const plan = planSiloHistory({ sensor: 'co2', aggregate: 'last' }, [...SENSORS, co2], NOW_MS);
  assert.deepEqual([plan.name, plan.sensor], ['co2', co2]);
  const bucket = {
    startMs: NOW_MS,
    sum: 800,
    count: 1,
    min: 800,
    max: 800,
    last: 800,
    lastTsMs: NOW_MS,
    badCount: 0,
  };
  assert.deepEqual(
    historyPoints([bucket], plan, 2_000).map(({ value }) => value),
    [800],
  );
  const message = 'must be one of level, temperature, humidity';
  const details = [{ path: '/sensor', message }];
  assert.throws(() => planSiloHistory({ sensor: 'weight' }, SENSORS, NOW_MS), { details });
});

test('the parts of a bucket are joined, also when one of them has no good value', () => {
  const stored = { startMs: 0, sum: 9, count: 3, min: 1, max: 5, last: 5, lastTsMs: 10, badCount: 0 };
  const open = { startMs: 0, sum: 8, count: 2, min: 2, max: 6, last: 2, lastTsMs: 20, badCount: 1 };
  const bad = { startMs: 0, sum: 0, count: 0, min: null, max: null, last: null, lastTsMs: null, badCount: 2 };
  const next = { ...stored, startMs: 300_000 };
  const both = { startMs: 0, sum: 17, count: 5, min: 1, max: 6, last: 2, lastTsMs: 20, badCount: 1 };
  assert.deepEqual(joinParts([stored, open, next]), [both, next]);
  assert.deepEqual(joinParts([stored, bad]), [{ ...stored, badCount: 2 }]);
  assert.deepEqual(joinParts([bad, open]), [{ ...open, badCount: 3 }]);
  assert.deepEqual(joinParts([]), []);
});
