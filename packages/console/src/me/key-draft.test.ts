import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNewKey } from '@granary/contract/keys';
import { keyStateOf, newKeyOf } from './key-draft.ts';

const DRAFT = { name: ' office ', scopes: ['operate', 'read'], facilities: [], deviceIds: [], expiresAt: '' };

test('the form of a key is a request that the service accepts', () => {
  const key = newKeyOf(DRAFT);
  assert.deepEqual(key, { name: 'office', scopes: ['read', 'operate'] });
  assert.ok(checkNewKey.accepts(key));
});

test('limits and the end are sent where they are given', () => {
  const key = newKeyOf({
    ...DRAFT,
    facilities: ['north'],
    deviceIds: ['silo-1'],
    expiresAt: '2027-01-02T03:04Z',
  });
  assert.deepEqual([key.facilities, key.device_ids], [['north'], ['silo-1']]);
  assert.equal(key.expires_at, '2027-01-02T03:04:00.000Z');
  assert.ok(checkNewKey.accepts(key));
});

test('a key is in force until it is revoked or has expired', () => {
  const endsAt = '2026-11-16T00:00:00Z';
  const endMs = Date.parse(endsAt);
  assert.equal(keyStateOf({ revoked_at: null, expires_at: null }, endMs), 'usable');
  assert.equal(keyStateOf({ revoked_at: null, expires_at: endsAt }, endMs - 1), 'usable');
  assert.equal(keyStateOf({ revoked_at: null, expires_at: endsAt }, endMs), 'expired');
  assert.equal(keyStateOf({ revoked_at: endsAt, expires_at: endsAt }, endMs), 'revoked');
});
