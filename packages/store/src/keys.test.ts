import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { NewStoredKey } from './keys.ts';
import type { Store } from './store.ts';
import { describeEachEngine } from './testing/engines.ts';
import { isRefusal, NOW_MS } from './testing/fixtures.ts';

const newKey = (keyId: string, fields: Partial<NewStoredKey> = {}): NewStoredKey => ({
  keyId,
  hash: `hash of ${keyId}`,
  name: 'Office',
  scopes: ['read', 'operate'],
  facilities: ['North'],
  deviceIds: null,
  createdAtMs: NOW_MS,
  expiresAtMs: null,
  ...fields,
});

describeEachEngine('keys', (engine) => {
  let store: Store;
  before(async () => {
    store = await engine.open();
  });

  it('finds a key by its hash only', async () => {
    const { hash, ...fields } = newKey('key_1', { deviceIds: ['a', 'b'], expiresAtMs: NOW_MS + 5 });
    const created = await store.keys.create({ hash, ...fields });
    assert.deepEqual(created, { ...fields, lastUsedAtMs: null, revokedAtMs: null });
    assert.deepEqual(await store.keys.findByHash(hash), created);
    assert.equal(await store.keys.findByHash('key_1'), undefined);
  });

  it('counts and lists keys page by page', async () => {
    const before = await store.keys.count();
    for (const keyId of ['list_3', 'list_1', 'list_2']) await store.keys.create(newKey(keyId));
    assert.equal(await store.keys.count(), before + 3);
    const page = await store.keys.list({ afterKeyId: 'list_1', limit: 1 });
    assert.deepEqual(
      page.map(({ keyId }) => keyId),
      ['list_2'],
    );
    assert.equal((await store.keys.list({ afterKeyId: null, limit: 100 })).length, before + 3);
  });

  it('revokes once and for good', async () => {
    await store.keys.create(newKey('revoked'));
    assert.equal((await store.keys.revoke('revoked', NOW_MS + 1)).revokedAtMs, NOW_MS + 1);
    assert.equal((await store.keys.revoke('revoked', NOW_MS + 9)).revokedAtMs, NOW_MS + 1);
    await assert.rejects(store.keys.revoke('unknown', NOW_MS), isRefusal('key_not_found'));
  });

  it('remembers the last use', async () => {
    await store.keys.create(newKey('used'));
    await store.keys.recordUse('used', NOW_MS + 2);
    await store.keys.recordUse('used', NOW_MS + 1);
    assert.equal((await store.keys.findByHash('hash of used'))?.lastUsedAtMs, NOW_MS + 2);
  });

  it('rotates: the successor has the same rights, the old one ends after the overlap', async () => {
    const old = newKey('old', { expiresAtMs: NOW_MS + 1_000 });
    await store.keys.create(old);
    const secret = { keyId: 'new', hash: 'new hash', createdAtMs: NOW_MS + 10 };
    const { hash: _, ...expected } = { ...old, ...secret, lastUsedAtMs: null, revokedAtMs: null };
    assert.deepEqual(await store.keys.rotate('old', secret, NOW_MS + 60), expected);
    assert.deepEqual(await store.keys.findByHash('new hash'), expected);
    assert.equal((await store.keys.findByHash(old.hash))?.expiresAtMs, NOW_MS + 60);
  });

  it('never prolongs a key by rotating it', async () => {
    await store.keys.create(newKey('short', { expiresAtMs: NOW_MS + 5 }));
    await store.keys.rotate('short', { keyId: 'short2', hash: 'short2', createdAtMs: NOW_MS }, NOW_MS + 60);
    assert.equal((await store.keys.findByHash('hash of short'))?.expiresAtMs, NOW_MS + 5);
  });

  it('does not rotate what is unknown, revoked or expired', async () => {
    await store.keys.create(newKey('ended', { expiresAtMs: NOW_MS }));
    await store.keys.create(newKey('gone'));
    await store.keys.revoke('gone', NOW_MS);
    const count = await store.keys.count();
    for (const keyId of ['ended', 'gone', 'unknown']) {
      const secret = { keyId: `${keyId}2`, hash: `${keyId}2`, createdAtMs: NOW_MS + 1 };
      await assert.rejects(store.keys.rotate(keyId, secret, NOW_MS + 60), isRefusal('key_not_found'));
    }
    assert.equal(await store.keys.count(), count);
  });
});
