import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePointer, pointed } from './json-pointer.ts';

const MESSAGE = {
  a: { 'b/c': 1, 'd~e': [10, 20] },
  conditions: [
    { type: 3, bar: 30 },
    { type: 1, temp: 62.7 },
  ],
};

const at = (text: string, message: unknown = MESSAGE): unknown => {
  const pointer = parsePointer(text);
  assert.ok(pointer, text);
  return pointed(pointer, message);
};

test('a pointer finds fields, entries by number and entries by a field', () => {
  assert.equal(at('/a/b~1c'), 1);
  assert.equal(at('/a/d~0e/1'), 20);
  assert.equal(at('/conditions/[type=1]/temp'), 62.7);
  assert.equal(at('', 'text'), 'text');
});

test('nothing is found where nothing is, and nothing that is inherited', () => {
  for (const pointer of ['/b', '/a/b/c', '/conditions/[type=9]/temp', '/a/[x=1]', '/conditions/7'])
    assert.equal(at(pointer), undefined, pointer);
  for (const pointer of ['/__proto__', '/constructor/name', '/a/toString', '/conditions/map'])
    assert.equal(at(pointer), undefined, pointer);
  assert.equal(at('/length', 'text'), undefined);
  assert.equal(at('/a', null), undefined);
});

test('what is not a pointer is refused', () => {
  for (const text of ['a', 'a/b', '/a~', '/a~2', '/[=1]', '/[type]', `/${'a/'.repeat(20)}`])
    assert.equal(parsePointer(text), null, text);
});
