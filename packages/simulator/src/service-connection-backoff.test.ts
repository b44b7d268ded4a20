import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from './service-connection.ts';

test('waits twice as long after every failure, up to a limit', () => {
  const waits = [1, 2, 3, 7, 50].map((failures) => backoffMs(failures, () => 1));
  assert.deepEqual(waits, [500, 1_000, 2_000, 30_000, 30_000]);
});

test('the limit can be lower', () => {
  assert.equal(
    backoffMs(50, () => 1, 2_000),
    2_000,
  );
});

test('up to half of the wait is left to chance', () => {
  assert.equal(
    backoffMs(3, () => 0),
    1_000,
  );
  assert.equal(
    backoffMs(3, () => 0.5),
    1_500,
  );
});
