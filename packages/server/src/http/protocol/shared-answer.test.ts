import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedAnswer } from '../metrics/metrics.ts';

test('an answer is made once for all who ask within a short time, and again after a failure', async () => {
  let nowMs = 0;
  let made = 0;
  let isFailing = false;
  const make = async () => {
    if (isFailing) throw new Error('no figures');
    return ++made;
  };
  const shared = new SharedAnswer(make, 200, () => nowMs);
  assert.deepEqual(await Promise.all([shared.get(), shared.get()]), [1, 1]);
  nowMs = 199;
  assert.equal(await shared.get(), 1);
  nowMs = 200;
  assert.equal(await shared.get(), 2);
  nowMs = 400;
  isFailing = true;
  await assert.rejects(shared.get(), /no figures/);
  isFailing = false;
  assert.equal(await shared.get(), 3);
});
