import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationRecord } from '@granary/contract/operations';
import { withNewest } from './followed-operations.ts';

const NOON_MS = Date.parse('2026-11-16T12:00:00Z');

const operation = (operation_id: string, status: OperationRecord['status'], minute = 0): OperationRecord =>
  ({
    operation_id,
    status,
    started_at: new Date(NOON_MS + minute * 60_000).toISOString(),
    ended_at: status === 'stopped' ? new Date(NOON_MS + 3_600_000).toISOString() : null,
  }) as OperationRecord;

const summary = (...given: Parameters<typeof withNewest>): string[] =>
  withNewest(...given).map(({ operation_id, status }) => `${operation_id} ${status}`);

const toMs = NOON_MS + 60 * 60_000;

test('what was told after the list was read counts, and what has begun since is added', () => {
  const listed = [operation('a', 'in_progress')];
  const told = [operation('b', 'started', 5), operation('a', 'stopped')];
  assert.deepEqual(summary(listed, told, { toMs }), ['b started', 'a stopped']);
});

test('an end is final, in whatever order it is told', () => {
  const [before, end] = [operation('a', 'in_progress'), operation('a', 'stopped')];
  for (const [listed, told] of [
    [[before], [end]],
    [[end], [before]],
    [[], [before, end]],
    [[], [end, before]],
  ] as const)
    assert.deepEqual(summary(listed, told, { toMs }), ['a stopped']);
});

test('a list that was read after the end knows more than the event that told it', () => {
  const read = { ...operation('a', 'stopped'), measured_amount: 4 };
  const [found] = withNewest([read], [operation('a', 'stopped')], { toMs });
  assert.equal(found?.measured_amount, 4);
});

test('what began after the time that is shown is not in it', () => {
  assert.deepEqual(summary([operation('a', 'stopped')], [operation('b', 'started', 90)], { toMs }), [
    'a stopped',
  ]);
});
