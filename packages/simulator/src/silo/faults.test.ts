import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { createSiloReadingFault, exaggerated, type SiloFault } from './faults.ts';

test('drift grows with time', () => {
  const fault = createSiloReadingFault(new Set<SiloFault>(['drift']));
  const weights = [0, HOUR_MS, 2 * HOUR_MS].map(
    (ts) => fault({ ts, weight: 500, temperature: 8, humidity: 50 })[0]?.weight,
  );
  assert.deepEqual(weights, [500, 560, 620]);
});

test('a lying device reports a fifth more than it moved', () => {
  const report = { operation_id: 'op_1', state: 'running', amount_kg: 50, ts: 0 } as const;
  assert.equal(exaggerated(report).amount_kg, 60);
});

test('a hot spot heats the middle of the cable, and a silo without a cable is as before', () => {
  const fault = createSiloReadingFault(new Set<SiloFault>(['hot-spot']));
  const scale = { weight: 500, temperature: 8, humidity: 50 };
  const sensors = { temp_1: 10, temp_5: 11, temp_6: 12 };
  const heated = [0, 5, 60].map((minute) => fault({ ...scale, ts: minute * MINUTE_MS, sensors })[0]?.sensors);
  assert.deepEqual(heated, [
    sensors,
    { temp_1: 10, temp_5: 19, temp_6: 32 },
    { temp_1: 10, temp_5: 23, temp_6: 42 },
  ]);
  assert.deepEqual(fault({ ...scale, ts: 0 }), [{ ...scale, ts: 0 }]);
});
