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
      loop: {
        nowMs: () => nowMs,
        onNextTurn: (act) => void nextTurn.push(act),
        afterThisStep: (act) => void afterStep.push(act),
      },
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

/** The time of a turn that differs from the usual one. */
const LONG_TURN_MS = 5;

function fakeTurns() {
  const planned: (() => void)[] = [];
  const steps: (() => void)[] = [];
  const clock = { nowMs: 0 };
  const turns = new TurnQueue({
    turnMsMax: LONG_TURN_MS,
    loop: {
      nowMs: () => clock.nowMs,
      onNextTurn: (begin) => void planned.push(begin),
      afterThisStep: (act) => void steps.push(act),
    },
  });
  const nextTurn = (): void => {
    for (const begin of planned.splice(0)) begin();
    for (let act = steps.shift(); act !== undefined; act = steps.shift()) act();
  };
  return { turns, clock, planned, nextTurn };
}

describe('pieces that may be continued', () => {
  it('end after a limited time, and begin again in the next turn of the event loop', () => {
    const { turns, clock, nextTurn } = fakeTurns();
    assert.ok(turns.mayBegin());
    clock.nowMs += LONG_TURN_MS;
    assert.deepEqual([turns.hasTime(), turns.mayBegin()], [false, false]);
    nextTurn();
    assert.ok(turns.mayBegin());
  });

  it('serve those that wait in their order, as many as there is time for', () => {
    const { turns, clock, planned, nextTurn } = fakeTurns();
    const served: string[] = [];
    const read = (name: string) => (): void => {
      served.push(name);
      clock.nowMs += LONG_TURN_MS - 1;
    };
    for (const name of ['a', 'b', 'c']) turns.wait(read(name));
    assert.equal(planned.length, 1);
    nextTurn();
    assert.deepEqual(served, ['a', 'b']);
    assert.equal(turns.mayBegin(), false, 'others wait');
    nextTurn();
    assert.deepEqual(served, ['a', 'b', 'c']);
    nextTurn();
    assert.deepEqual([planned.length, turns.mayBegin()], [0, true]);
  });

  it('serve one that continues after those that wait already', () => {
    const { turns, nextTurn } = fakeTurns();
    const served: string[] = [];
    turns.wait(() => {
      served.push('a');
      turns.wait(() => served.push('a again'));
    });
    turns.wait(() => served.push('b'));
    nextTurn();
    assert.deepEqual(served, ['a', 'b', 'a again']);
  });
});
