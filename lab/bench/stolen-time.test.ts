import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastDisturbed } from './stolen-time.ts';

/** Measures while the host takes these shares, one in each attempt. */
async function measureWith(shares: readonly number[]) {
  let attempts = 0;
  let total = 0;
  let stolen = 0;
  const { result } = await leastDisturbed(
    async () => {
      total += 100;
      stolen += 100 * (shares[attempts] ?? 0);
      return ++attempts;
    },
    async () => ({ total, stolen }),
  );
  return { result, attempts };
}

test('a measurement is repeated while the host takes more than a tenth, and the one that lost least counts', async () => {
  assert.deepEqual(await measureWith([0.02]), { result: 1, attempts: 1 });
  assert.deepEqual(await measureWith([0.5, 0.05]), { result: 2, attempts: 2 });
  assert.deepEqual(await measureWith([0.5, 0.2, 0.3]), { result: 2, attempts: 3 });
});

test('where the share is not known, one measurement is enough', async () => {
  let attempts = 0;
  const measured = await leastDisturbed(
    async () => ++attempts,
    async () => null,
  );
  assert.deepEqual(measured, { result: 1, stolen: null });
});
