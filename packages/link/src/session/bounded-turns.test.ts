import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BoundedTurns, TURN_MS_MAX } from './shared-reading.ts';

function fakeTurns() {
  const planned: (() => void)[] = [];
  const clock = { nowMs: 0 };
  const turns = new BoundedTurns({ nowMs: () => clock.nowMs, nextTurn: (begin) => planned.push(begin) });
  const nextTurn = (): void => {
    for (const begin of planned.splice(0)) begin();
  };
  return { turns, clock, planned, nextTurn };
}

describe('the turns of reading', () => {
  it('end after a limited time, and begin again in the next turn of the event loop', () => {
    const { turns, clock, nextTurn } = fakeTurns();
    assert.ok(turns.mayBegin());
    clock.nowMs += TURN_MS_MAX;
    assert.deepEqual([turns.hasTime(), turns.mayBegin()], [false, false]);
    nextTurn();
    assert.ok(turns.mayBegin());
  });

  it('serve those that wait in their order, as many as there is time for', () => {
    const { turns, clock, planned, nextTurn } = fakeTurns();
    const served: string[] = [];
    const read = (name: string) => (): void => {
      served.push(name);
      clock.nowMs += TURN_MS_MAX - 1;
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
