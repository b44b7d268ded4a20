import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWellFormedKey, makeKey } from './secrets.ts';

/** These keys were issued before the checksum was computed by `node:zlib`. */
const KEYS = [
  'gk_00000000000000000000000000000000000000002kaqcA',
  'gk_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz2x81PZ',
  'gk_xCML1eMXeK1YnoxeTAsVuZwvd6TGRNhC718asyJP22ndvJ',
  'gk_qxD6PMH3eVNNFlV75rlX0KVr9nIEKK1bCRdwEY2V2Ufcro',
];

const digitLists = fc.array(fc.nat(61), { minLength: 40, maxLength: 40 });
const keyOf = (digits: readonly number[]): string => {
  const rest = [...digits];
  return makeKey(() => rest.pop() ?? 0);
};

test('a new key has the documented form and is recognised', () => {
  fc.assert(
    fc.property(digitLists, (digits) => {
      const key = keyOf(digits);
      assert.match(key, /^gk_[0-9A-Za-z]{46}$/);
      assert.ok(isWellFormedKey(key));
    }),
  );
});

test('a key with one wrong character is refused', () => {
  fc.assert(
    fc.property(digitLists, fc.nat(48), fc.constantFrom(...'0aZ9'), (digits, at, character) => {
      const key = keyOf(digits);
      fc.pre(key[at] !== character);
      assert.equal(isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1)), false);
    }),
  );
});

test('shorter and longer keys are refused', () => {
  const key = keyOf(Array(40).fill(5));
  for (const wrong of ['', 'gk_', key.slice(0, -1), `${key}0`, key.toUpperCase()]) {
    assert.equal(isWellFormedKey(wrong), false, wrong);
  }
});

test('keys that an earlier version issued stay valid', () => {
  for (const key of KEYS) assert.ok(isWellFormedKey(key), key);
});
