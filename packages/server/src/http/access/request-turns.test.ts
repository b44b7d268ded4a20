import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TURN_MS_MAX } from '@granary/common/turn-queue';
import {
  ACCEPTING_MS_MAX,
  PLACES_ALWAYS,
  PLACES_MAX,
  PLACES_PER_CALLER_MAX,
  RequestTurns,
  WAITING_ALWAYS,
  WAITING_MAX,
  WAITING_PER_CALLER_MAX,
} from './request-turns.ts';

/** An event loop whose turns and clock the test moves. */
class CountedLoop {
  nowMs = 0;
  readonly #nextTurn: (() => void)[] = [];
  readonly #afterStep: (() => void)[] = [];
  readonly turns = new RequestTurns({
    nowMs: () => this.nowMs,
    onNextTurn: (act) => void this.#nextTurn.push(act),
    afterThisStep: (act) => void this.#afterStep.push(act),
  });

  get isIdle(): boolean {
    return this.#nextTurn.length === 0;
  }

  /** Runs the work that waits for the next turn, and everything that follows from it without waiting for anything else. */
  async turn(): Promise<void> {
    for (const act of this.#nextTurn.splice(0)) act();
    await new Promise((resolve) => setImmediate(resolve));
    for (let act = this.#afterStep.shift(); act !== undefined; act = this.#afterStep.shift()) {
      act();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const PART_MS = 2;
const PARTS_PER_TURN = Math.ceil(TURN_MS_MAX / PART_MS);

describe('requests', () => {
  /** Records each part of the work in `log`, and lets time pass. */
  const work =
    (loop: CountedLoop, log: string[], name: string, parts = 1) =>
    async () => {
      for (let part = 1; part <= parts; part++) {
        if (part > 1) await loop.turns.nextPart(name[0] ?? '');
        log.push(name);
        loop.nowMs += PART_MS;
      }
    };

  it('are worked on at once while the turn has time, and the others in the next turns', async () => {
    const loop = new CountedLoop();
    const log: string[] = [];
    const all = 2 * PARTS_PER_TURN + 1;
    for (let index = 0; index < all; index++) void loop.turns.run('a', work(loop, log, `a${index}`));
    const counts = [log.length];
    while (log.length < all) {
      await loop.turn();
      counts.push(log.length);
    }
    assert.deepEqual(counts, [PARTS_PER_TURN, 2 * PARTS_PER_TURN, all]);
    assert.deepEqual(log, [...log].sort());
    assert.deepEqual(loop.turns.figures, { places: 0, waiting: 0 });
  });

  it('with long answers leave the turn after each part that has used its time', async () => {
    const loop = new CountedLoop();
    const log: string[] = [];
    const answered = loop.turns.runInPlace('a', work(loop, log, 'a', 9));
    assert.equal(log.length, 1);
    const counts: number[] = [];
    while (log.length < 9) {
      await loop.turn();
      counts.push(log.length);
    }
    await answered;
    assert.ok(
      Math.max(...counts.map((count, index) => count - (counts[index - 1] ?? 0))) <= 2 * PARTS_PER_TURN,
    );
    assert.deepEqual(loop.turns.figures, { places: 0, waiting: 0 });
  });

  it('of several callers take turns, and those of one caller end in their order', async () => {
    const loop = new CountedLoop();
    const log: string[] = [];
    for (let index = 0; index < 4; index++) {
      void loop.turns.runInPlace('a', work(loop, log, `a${index}`, 2 * PARTS_PER_TURN));
    }
    await loop.turn();
    void loop.turns.run('b', work(loop, log, 'b'));
    for (let turn = 0; turn < 20; turn++) await loop.turn();
    const firstOfB = log.indexOf('b');
    assert.ok(firstOfB > 0 && firstOfB <= 4 * PARTS_PER_TURN, log.join());
    const ends = ['a0', 'a1', 'a2', 'a3'].map((name) => log.lastIndexOf(name));
    assert.deepEqual(
      ends,
      [...ends].sort((a, b) => a - b),
      log.join(),
    );
    // The last answer was not begun while the others were half made.
    assert.ok(log.indexOf('a3') > log.lastIndexOf('a2'), log.join());
  });

  it('wait until all connections are accepted, of which each turn takes one', async () => {
    const loop = new CountedLoop();
    const log: string[] = [];
    for (let connection = 0; connection < 5; connection++) {
      loop.turns.accepted();
      void loop.turns.run('a', work(loop, log, `a${connection}`));
      await loop.turn();
      assert.deepEqual(log, []);
    }
    await loop.turn();
    assert.equal(log.length, PARTS_PER_TURN);
    while (!loop.isIdle) await loop.turn();
    assert.equal(log.length, 5);
  });

  it('have a turn now and then while connections do not end', async () => {
    const loop = new CountedLoop();
    const log: string[] = [];
    let turns = 0;
    for (; log.length === 0; turns++) {
      loop.turns.accepted();
      void loop.turns.run('a', work(loop, log, 'a'));
      loop.nowMs++;
      await loop.turn();
    }
    assert.equal(turns, ACCEPTING_MS_MAX);
  });

  it('that take a place wait for one, without keeping the event loop busy', async () => {
    const loop = new CountedLoop();
    const ends: (() => void)[] = [];
    const hold = (caller: string) =>
      void loop.turns.runInPlace(caller, () => new Promise<void>((resolve) => ends.push(resolve)));
    for (let index = 0; index <= PLACES_PER_CALLER_MAX; index++) hold('a');
    assert.deepEqual(loop.turns.figures, { places: PLACES_PER_CALLER_MAX, waiting: 1 });
    await loop.turn();
    assert.deepEqual([loop.turns.figures.waiting, loop.isIdle], [1, true]);
    ends.shift()?.();
    await loop.turn();
    await loop.turn();
    assert.deepEqual(loop.turns.figures, { places: PLACES_PER_CALLER_MAX, waiting: 0 });
    for (let index = 0; index < PLACES_MAX - PLACES_PER_CALLER_MAX; index++) hold('b');
    assert.equal(loop.turns.figures.places, PLACES_MAX);
    // All places are taken, and yet a third caller gets some.
    for (let index = 0; index <= PLACES_ALWAYS; index++) hold('c');
    assert.deepEqual(loop.turns.figures, { places: PLACES_MAX + PLACES_ALWAYS, waiting: 1 });
  });

  it('beyond the limit of a caller are refused, and those of another caller wait', async () => {
    const loop = new CountedLoop();
    void loop.turns.run('first', async () => undefined);
    loop.nowMs = TURN_MS_MAX;
    const wait = (caller: string) => void loop.turns.run(caller, async () => undefined);
    for (let index = 0; index < WAITING_PER_CALLER_MAX; index++) wait('a');
    await assert.rejects(
      loop.turns.run('a', async () => undefined),
      { code: 'rate_limited' },
    );
    for (let caller = 0; loop.turns.figures.waiting < WAITING_MAX; caller++) {
      for (let index = 0; index < WAITING_PER_CALLER_MAX; index++) wait(`b${caller}`);
    }
    for (let index = 0; index < WAITING_ALWAYS; index++) wait('c');
    await assert.rejects(
      loop.turns.run('c', async () => undefined),
      { code: 'rate_limited' },
    );
    assert.equal(loop.turns.figures.waiting, WAITING_MAX + WAITING_ALWAYS);
    await loop.turn();
    assert.deepEqual(loop.turns.figures, { places: 0, waiting: 0 });
  });

  it('that fail give their place back', async () => {
    const loop = new CountedLoop();
    await assert.rejects(
      loop.turns.runInPlace('a', () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.deepEqual(loop.turns.figures, { places: 0, waiting: 0 });
  });
});
