import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TopicTree } from './topic-tree.ts';

test('finds what a broker would deliver', () => {
  const tree = new TopicTree<string>();
  const filters = [
    'a/b',
    'a/+',
    'a/#',
    '#',
    '+/b/c',
    'a',
    '$SYS/x',
    'a/b/',
    'application/+/device/1/event/up',
  ];
  for (const filter of filters) tree.add(filter, filter);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['a/b', ['a/b', 'a/+', 'a/#', '#']],
    ['a', ['a', 'a/#', '#']],
    ['a/b/c', ['a/#', '#', '+/b/c']],
    ['a/b/', ['a/#', '#', 'a/b/']],
    ['$SYS/x', ['$SYS/x']],
    ['application/7/device/1/event/up', ['#', 'application/+/device/1/event/up']],
    ['application/7/device/2/event/up', ['#']],
    ['constructor', ['#']],
  ];
  for (const [topic, expected] of cases)
    assert.deepEqual(tree.matching(topic).sort(), [...expected].sort(), topic);
});
