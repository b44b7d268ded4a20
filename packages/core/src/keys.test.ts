import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canAccess, hasFacility, isUnlimited, isValidAt } from './keys.ts';

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

test('a key has rights in the facilities that it names, and in all only if nothing limits it', () => {
  assert.equal(hasFacility(anywhere, 'north'), true);
  assert.equal(hasFacility({ ...anywhere, facilities: ['north'] }, 'north'), true);
  assert.equal(hasFacility({ ...anywhere, facilities: ['south'] }, 'north'), false);
  assert.equal(hasFacility({ ...anywhere, deviceIds: ['silo-1'] }, 'north'), false);
  assert.equal(hasFacility({ facilities: ['north'], deviceIds: ['silo-1'] }, 'north'), true);
});

test('a key lives until it expires or is revoked', () => {
  assert.equal(isValidAt({ expiresAtMs: null, revokedAtMs: null }, 5), true);
  assert.equal(isValidAt({ expiresAtMs: 6, revokedAtMs: null }, 5), true);
  assert.equal(isValidAt({ expiresAtMs: 5, revokedAtMs: null }, 5), false);
  assert.equal(isValidAt({ expiresAtMs: null, revokedAtMs: 5 }, 5), false);
});
