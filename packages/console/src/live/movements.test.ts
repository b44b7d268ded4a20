import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetOperation } from '@granary/contract/fleet';
import fc from 'fast-check';
import {
  type Movement,
  operationMovement,
  type Place,
  rowAfter,
  withEnd,
  withMoving,
  withoutOldEnds,
} from './movements.ts';

const operation = (id: string, startedAt: number): Movement =>
  operationMovement({
    operation_id: id,
    device_id: `silo of ${id}`,
    started_at: new Date(startedAt).toISOString(),
  } as FleetOperation);

const idsOf = (places: readonly Place[]): string => places.map(({ id }) => id).join('');

const nothingAwaited = (): boolean => false;

test('what moves is in the order of its start, and what is seen later comes last', () => {
  const first = withMoving([], [operation('b', 2), operation('a', 1)]);
  assert.equal(idsOf(first), 'ab');
  assert.equal(idsOf(withMoving(first, [operation('b', 2), operation('0', 0), operation('a', 1)])), 'ab0');
});

test('an end is shown for ten seconds in its place, and one that nobody has told is awaited', () => {
  const moving = withMoving([], [operation('a', 1), operation('b', 2)]);
  const ended = withEnd(moving, operation('a', 1), 1_000);
  assert.deepEqual(
    withMoving(ended, []).map(({ id, state }) => `${id} ${state}`),
    ['a ended', 'b vanished'],
  );
  assert.equal(idsOf(withoutOldEnds(ended, 10_999, nothingAwaited)), 'ab');
  assert.equal(idsOf(withoutOldEnds(ended, 11_000, nothingAwaited)), 'b');
});

test('what moves again after its end is in its place with its stop', () => {
  const ended = withEnd(withMoving([], [operation('a', 1), operation('b', 2)]), operation('a', 1), 0);
  const [again] = withMoving(ended, [operation('b', 2), operation('a', 1)]);
  assert.deepEqual([again?.id, again?.state, again?.endShownMs], ['a', 'moving', null]);
});

test('whatever starts and ends, nothing shown changes its place, and no stop comes to where another one is', () => {
  const step = fc.record({
    starts: fc.array(fc.integer({ min: 0, max: 19 }), { maxLength: 3 }),
    ends: fc.array(fc.integer({ min: 0, max: 19 }), { maxLength: 3 }),
    laterMs: fc.integer({ min: 0, max: 12_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 1, max: 4 }), (steps, length) => {
      let places: Place[] = [];
      let row: (string | null)[] = [];
      const moving = new Map<string, Movement>();
      let nowMs = 0;
      for (const [at, { starts, ends, laterMs }] of steps.entries()) {
        nowMs += laterMs;
        for (const start of starts) {
          const id = `${at}.${start}`;
          moving.set(id, operation(id, at));
        }
        const before = places;
        for (const end of ends) {
          const ended = [...moving.values()][end];
          if (ended === undefined) continue;
          moving.delete(ended.id);
          places = withEnd(places, ended, nowMs);
        }
        places = withoutOldEnds(withMoving(places, [...moving.values()]), nowMs, nothingAwaited);
        const order = places.map(({ id }) => id);
        const stayed = before.map(({ id }) => id).filter((id) => order.includes(id));
        assert.deepEqual(order.slice(0, stayed.length), stayed);
        const next = rowAfter(row, places, length);
        for (const [index, id] of row.entries()) {
          if (id !== null && order.includes(id)) assert.equal(next[index], id);
        }
        const shown = next.filter((id) => id !== null);
        assert.deepEqual(
          shown,
          order.filter((id) => shown.includes(id)),
        );
        assert.equal(new Set(shown).size, shown.length);
        assert.ok(next.length <= length);
        // While a movement waits outside the row, the row is not empty.
        assert.ok(shown.length > 0 || moving.size === 0);
        row = next;
      }
    }),
  );
});
