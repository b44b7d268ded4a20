import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Report, Reports } from './reports.ts';

const ack = (operation_id: string): Report => ({ subject: 'ack', payload: { operation_id, accepted: true } });
const progress = (operation_id: string, ts: number): Report => ({
  subject: 'progress',
  payload: { operation_id, state: 'running', amount_kg: 0, ts },
});

function all(reports: Reports): readonly Report[] {
  const taken: Report[] = [];
  for (let next = reports.take(); next !== undefined; next = reports.take()) taken.push(next);
  return taken;
}

test('keeps every acknowledgement, and the newest progress of each operation', () => {
  const reports = new Reports();
  for (const report of [ack('a'), progress('a', 1), progress('b', 2), ack('b'), progress('a', 3)]) {
    reports.add(report);
  }
  assert.deepEqual(all(reports), [ack('a'), progress('b', 2), ack('b'), progress('a', 3)]);
});

test('gives up the oldest when there are too many', () => {
  const reports = new Reports();
  for (let i = 0; i < 150; i++) reports.add(ack(`op_${i}`));
  const kept = all(reports);
  assert.equal(kept.length, 100);
  assert.deepEqual(kept[0], ack('op_50'));
});
