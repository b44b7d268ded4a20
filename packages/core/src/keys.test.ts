import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canAccess, isUnlimited, isValidAt, isWellFormedKey, makeKey } from './keys.ts';

const picks = fc.array(fc.nat(61), { minLength: 40, maxLength: 40 });
const keyOf = (digits: readonly number[]): string => {
  const rest = [...digits];
  return makeKey(() => rest.pop() ?? 0);
};

test('a made key has the documented form and is recognised', () => {
  fc.assert(
    fc.property(picks, (digits) => {
      const key = keyOf(digits);
      assert.match(key, /^gk_[0-9A-Za-z]{46}$/);
      assert.ok(isWellFormedKey(key));
    }),
  );
});

test('one wrong character is noticed', () => {
  fc.assert(
    fc.property(picks, fc.nat(48), fc.constantFrom(...'0aZ9'), (digits, at, character) => {
      const key = keyOf(digits);
      fc.pre(key[at] !== character);
      assert.equal(isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1)), false);
    }),
  );
});

test('keys cut short or made longer are noticed', () => {
  const key = keyOf(Array(40).fill(5));
  for (const wrong of ['', 'gk_', key.slice(0, -1), `${key}0`, key.toUpperCase()]) {
    assert.equal(isWellFormedKey(wrong), false, wrong);
  }
});

const anywhere = { scopes: [], facilities: null, deviceIds: null };

test('a key sees what lies inside all of its limits', () => {
  const silo = { deviceId: 'silo-1', facility: 'north' };
  assert.equal(canAccess(anywhere, silo), true);
  assert.equal(canAccess({ ...anywhere, facilities: ['north'] }, silo), true);
  assert.equal(canAccess({ ...anywhere, facilities: ['south'] }, silo), false);
  assert.equal(canAccess({ ...anywhere, deviceIds: ['silo-1'] }, silo), true);
  assert.equal(canAccess({ ...anywhere, deviceIds: ['silo-2'] }, silo), false);
  assert.equal(canAccess({ ...anywhere, facilities: ['north'], deviceIds: ['silo-2'] }, silo), false);
  assert.equal(isUnlimited(anywhere), true);
  assert.equal(isUnlimited({ ...anywhere, deviceIds: ['silo-1'] }), false);
});

test('a key lives until it expires or is revoked', () => {
  assert.equal(isValidAt({ expiresAtMs: null, revokedAtMs: null }, 5), true);
  assert.equal(isValidAt({ expiresAtMs: 6, revokedAtMs: null }, 5), true);
  assert.equal(isValidAt({ expiresAtMs: 5, revokedAtMs: null }, 5), false);
  assert.equal(isValidAt({ expiresAtMs: null, revokedAtMs: 5 }, 5), false);
});
