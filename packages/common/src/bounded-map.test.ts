import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

test('a full bounded map drops the entry that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
  assert.deepEqual(
    [...map],
    [
      ['b', 2],
      ['a', 3],
    ],
  );
  map.set('c', 4);
  assert.deepEqual(
    [...map],
    [
      ['a', 3],
      ['c', 4],
    ],
  );
});

test('a key may be anything that a map can have', () => {
  const map = new BoundedMap<string | undefined, number>(1).set(undefined, 1);
  assert.deepEqual([...map.set('a', 2)], [['a', 2]]);
});
