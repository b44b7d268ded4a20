import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TURN_MS_MAX, TurnQueue } from './turn-queue.ts';

const STEP_MS = 1;

describe('work in turns', () => {
  it('is done at once while the turn has time, and the rest in the next turns, in its order', () => {
    let nowMs = 0;
    const nextTurn: (() => void)[] = [];
    const afterStep: (() => void)[] = [];
    const queue = new TurnQueue({
      nowMs: () => nowMs,
      onNextTurn: (act) => void nextTurn.push(act),
      afterThisStep: (act) => void afterStep.push(act),
    });
    const done: number[] = [];
    for (let index = 0; index < 2 * TURN_MS_MAX + 1; index++) {
      queue.run(() => {
        done.push(index);
        nowMs += STEP_MS;
      });
    }
    const counts = [done.length];
    while (nextTurn.length > 0) {
      for (const act of nextTurn.splice(0)) act();
      for (let act = afterStep.shift(); act !== undefined; act = afterStep.shift()) act();
      counts.push(done.length);
    }
    assert.deepEqual(done, [...done.keys()]);
    assert.deepEqual(counts, [TURN_MS_MAX, 2 * TURN_MS_MAX, 2 * TURN_MS_MAX + 1, 2 * TURN_MS_MAX + 1]);
  });
});
