import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import type { SiloReading } from '../silo/scale.ts';
import { createSiloReadingFault, type FaultName } from './fault.ts';
import { linkIsLost } from './link-loss.ts';
import { FaultPlanError, parseFaultPlan } from './plan.ts';

const reading = (ts: number): SiloReading => ({ ts, weight: 100 + ts, temperature: ts, humidity: ts });

/** The readings that are sent after each of six measurements. */
const sent = (...names: FaultName[]) => {
  const fault = createSiloReadingFault(new Set(names));
  return [1, 2, 3, 4, 5, 6, 7].map((ts) => fault(reading(ts)));
};
const times = (...names: FaultName[]) => sent(...names).map((readings) => readings.map(({ ts }) => ts));

test('without faults every reading is sent once, at once', () => {
  assert.deepEqual(times(), [[1], [2], [3], [4], [5], [6], [7]]);
  assert.deepEqual(sent()[0], [reading(1)]);
});

test('duplicates sends everything twice', () => {
  assert.deepEqual(times('duplicates').slice(0, 2), [
    [1, 1],
    [2, 2],
  ]);
});

test('late holds readings back but keeps their order', () => {
  assert.deepEqual(times('late'), [[], [], [], [], [], [], [1]]);
});

test('out-of-order sends groups newest first', () => {
  assert.deepEqual(times('out-of-order'), [[], [], [3, 2, 1], [], [], [6, 5, 4], []]);
});

test('stuck keeps the values and moves the time', () => {
  assert.deepEqual(sent('stuck')[6], [{ ...reading(1), ts: 7 }]);
});

test('drift grows with time', () => {
  const fault = createSiloReadingFault(new Set<FaultName>(['drift']));
  const weights = [0, HOUR_MS, 2 * HOUR_MS].map((ts) => fault({ ...reading(ts), weight: 500 })[0]?.weight);
  assert.deepEqual(weights, [500, 560, 620]);
});

test('faults work together', () => {
  assert.deepEqual(sent('stuck', 'duplicates')[1], [
    { ...reading(1), ts: 2 },
    { ...reading(1), ts: 2 },
  ]);
});

test('the lost link comes back', () => {
  assert.deepEqual([0, 59_999, MINUTE_MS, 119_999, 2 * MINUTE_MS].map(linkIsLost), [
    false,
    false,
    true,
    true,
    false,
  ]);
});

const KINDS = new Map([
  ['silo-03', 'silo'],
  ['rover-01', 'field'],
] as const);

test('a plan is parsed from its text', () => {
  const plan = parseFaultPlan('silo-03:link-loss, rover-01:skip-waypoint,silo-03:late', KINDS);
  assert.deepEqual(
    plan,
    new Map([
      ['silo-03', new Set(['link-loss', 'late'])],
      ['rover-01', new Set(['skip-waypoint'])],
    ]),
  );
});

test('an invalid plan is refused with the valid names', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => parseFaultPlan(text, KINDS),
      (failure) => {
        assert.ok(failure instanceof FaultPlanError);
        assert.match(failure.message, message);
        return true;
      },
    );
  refused('silo-99:stuck', /"silo-99" is not a simulated device; there are silo-03, rover-01/);
  refused('silo-03:tired', /"tired" is not a fault of silo-03; there are link-loss, duplicates/);
  refused('silo-03:toString', /"toString" is not a fault of/);
  refused('silo-03:skip-waypoint', /not a fault of silo-03/);
  refused('rover-01:drift', /not a fault of rover-01; .*die-half-way/);
  refused('silo-03', /form device:fault/);
  refused('', /form device:fault/);
});
