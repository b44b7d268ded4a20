import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { PeriodicWork } from './periodic-work.ts';

const NEVER_MS = 1_000_000;

function workOf(run: () => Promise<void>, logged: string[] = []): PeriodicWork {
  const logger = { warn: (_fields: object, text: string) => void logged.push(text) };
  const work = new PeriodicWork({ doing: 'the work', everyMs: NEVER_MS, run, logger });
  work.start();
  return work;
}

test('runs at the start and when woken, never twice at once, and once more if woken meanwhile', async () => {
  let running = 0;
  let runs = 0;
  let release = (): void => undefined;
  const work = workOf(async () => {
    assert.equal(++running, 1);
    runs++;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    running--;
  });
  assert.equal(runs, 1);
  work.wake();
  work.wake();
  assert.equal(runs, 1);
  release();
  await setImmediate();
  assert.equal(runs, 2);
  const stopped = work.stop();
  release();
  await stopped;
  work.wake();
  assert.equal(runs, 2, 'it was stopped');
});

test('a failure is logged once until it works again, and does not repeat at once', async () => {
  const logged: string[] = [];
  const outcomes = ['fails', 'fails', 'works', 'fails'];
  const work = workOf(async () => {
    if (outcomes.shift() === 'fails') throw new Error('the disk is full');
  }, logged);
  const nextRound = async (): Promise<void> => {
    work.wake();
    await setImmediate();
  };
  work.wake();
  await setImmediate();
  assert.deepEqual([logged.length, outcomes.length], [1, 3], 'the next round is early enough');
  await nextRound();
  assert.deepEqual([logged.length, outcomes.length], [1, 2]);
  await nextRound();
  await nextRound();
  assert.deepEqual([logged.length, outcomes.length], [2, 0]);
  assert.equal(logged[0], 'the work failed');
  await work.stop();
});
