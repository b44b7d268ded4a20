import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '@granary/contract/time';
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
