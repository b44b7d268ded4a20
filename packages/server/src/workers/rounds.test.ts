import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLogger, type Logger } from '../logging/logger.ts';
import { eventually } from '../testing/eventually.ts';
import { Rounds } from './rounds.ts';

const NEVER_MS = 1_000_000;

function roundsOf(run: () => Promise<void>, logger: Logger = createLogger('silent')): Rounds {
  const rounds = new Rounds({ doing: 'the work', everyMs: NEVER_MS, run, logger });
  rounds.start();
  return rounds;
}

test('runs at the start and when woken, never twice at once, and once more if woken meanwhile', async () => {
  let running = 0;
  let runs = 0;
  let release = (): void => undefined;
  const rounds = roundsOf(async () => {
    assert.equal(++running, 1);
    runs++;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    running--;
  });
  assert.equal(runs, 1);
  rounds.wake();
  rounds.wake();
  assert.equal(runs, 1);
  release();
  await eventually(async () => runs, 2);
  const stopped = rounds.stop();
  release();
  await stopped;
  rounds.wake();
  assert.equal(runs, 2, 'it was stopped');
});

test('a failure is logged once until it works again, and does not repeat at once', async () => {
  const logged: string[] = [];
  const logger = createLogger('silent');
  logger.warn = ((_details: object, text: string) => void logged.push(text)) as Logger['warn'];
  const outcomes = ['fails', 'fails', 'works', 'fails'];
  const rounds = roundsOf(async () => {
    if (outcomes.shift() === 'fails') throw new Error('the disk is full');
  }, logger);
  const nextRound = async (): Promise<void> => {
    rounds.wake();
    await setImmediate();
  };
  rounds.wake();
  await setImmediate();
  assert.deepEqual([logged.length, outcomes.length], [1, 3], 'the next round is early enough');
  await nextRound();
  assert.deepEqual([logged.length, outcomes.length], [1, 2]);
  await nextRound();
  await nextRound();
  assert.deepEqual([logged.length, outcomes.length], [2, 0]);
  assert.equal(logged[0], 'the work failed');
  await rounds.stop();
});
