import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ROLES } from '@granary/contract/keys';
import { grantOf } from '@granary/core/keys';
import { writesWith } from '@granary/testing/app/attempts';
import { describeEachEngine, describePostgres } from '@granary/testing/app/engines';
import { isRefusal, NOW_MS } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import type { NewStoredKey } from './key-rows.ts';

const newKey = (keyId: string, fields: Partial<NewStoredKey> = {}): NewStoredKey => ({
  keyId,
  hash: `hash of ${keyId}`,
  name: 'Office',
  kind: 'service',
  grants: [grantOf(['read', 'operate'], ['North'])],
  createdAtMs: NOW_MS,
  expiresAtMs: null,
  ...fields,
});

describeEachEngine('keys', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  it('finds a key by its hash only', async () => {
    const { hash, ...fields } = newKey('key_1', {
      grants: [
        grantOf(['read', 'operate'], ['North'], ['a', 'b']),
        { role: 'operator', scopes: ROLES.operator, facilities: ['South'], deviceIds: null },
      ],
      expiresAtMs: NOW_MS + 5,
    });
    const created = await app.keys.create({ hash, ...fields });
    assert.deepEqual(created, { ...fields, ownerId: null, lastUsedAtMs: null, revokedAtMs: null });
    assert.deepEqual(await app.keys.findByHash(hash), created);
    assert.equal(await app.keys.findByHash('key_1'), undefined);
  });

  it('counts and lists keys page by page', async () => {
    const before = await app.keys.count();
    for (const keyId of ['list_3', 'list_1', 'list_2']) await app.keys.create(newKey(keyId));
    assert.equal(await app.keys.count(), before + 3);
    const page = await app.keys.list({ afterKeyId: 'list_1', limit: 1 });
    assert.deepEqual(
      page.map(({ keyId }) => keyId),
      ['list_2'],
    );
    assert.equal((await app.keys.list({ afterKeyId: null, limit: 100 })).length, before + 3);
  });

  it('have no rights that whoever makes or rotates them has not in the same transaction', async () => {
    await app.keys.create(newKey('feeding', { grants: [grantOf(['operate'])] }));
    const administrator = await writesWith(app, [grantOf(['admin'])], 'admin');
    const feeding = newKey('made', { grants: [grantOf(['operate'])] });
    await assert.rejects(administrator.keys.create(feeding), isRefusal('forbidden'));
    const successor = { keyId: 'next', hash: 'hash of next', createdAtMs: NOW_MS };
    await assert.rejects(administrator.keys.rotate('feeding', successor, NOW_MS), isRefusal('forbidden'));
    const operator = await writesWith(app, [grantOf(['admin', 'operate'])], 'admin');
    await operator.keys.create(feeding);
    await operator.keys.rotate('feeding', successor, NOW_MS);
  });

  it('keeps the time of the first revocation', async () => {
    await app.keys.create(newKey('revoked'));
    assert.equal((await app.keys.revoke('revoked', NOW_MS + 1)).revokedAtMs, NOW_MS + 1);
    assert.equal((await app.keys.revoke('revoked', NOW_MS + 9)).revokedAtMs, NOW_MS + 1);
    await assert.rejects(app.keys.revoke('unknown', NOW_MS), isRefusal('key_not_found'));
  });

  it('stores the time of the last use', async () => {
    await app.keys.create(newKey('used'));
    await app.keys.recordUse('used', NOW_MS + 2);
    await app.keys.recordUse('used', NOW_MS + 1);
    assert.equal((await app.keys.findByHash('hash of used'))?.lastUsedAtMs, NOW_MS + 2);
  });

  it('rotates: the successor has the same rights, the old one ends after the overlap', async () => {
    const old = newKey('old', { expiresAtMs: NOW_MS + 1_000 });
    await app.keys.create(old);
    const secret = { keyId: 'new', hash: 'new hash', createdAtMs: NOW_MS + 10 };
    const { hash: _, ...expected } = {
      ...old,
      ...secret,
      ownerId: null,
      lastUsedAtMs: null,
      revokedAtMs: null,
    };
    assert.deepEqual(await app.keys.rotate('old', secret, NOW_MS + 60), expected);
    assert.deepEqual(await app.keys.findByHash('new hash'), expected);
    assert.equal((await app.keys.findByHash(old.hash))?.expiresAtMs, NOW_MS + 60);
  });

  it('refuses to create a key that has already expired', async () => {
    for (const expiresAtMs of [NOW_MS, NOW_MS - 1]) {
      await assert.rejects(app.keys.create(newKey('late', { expiresAtMs })), isRefusal('invalid_input'));
    }
  });

  it('does not extend the expiry of a key by rotating it', async () => {
    await app.keys.create(newKey('short', { expiresAtMs: NOW_MS + 5 }));
    await app.keys.rotate('short', { keyId: 'short2', hash: 'short2', createdAtMs: NOW_MS }, NOW_MS + 60);
    assert.equal((await app.keys.findByHash('hash of short'))?.expiresAtMs, NOW_MS + 5);
  });

  it('does not rotate an unknown, revoked or expired key', async () => {
    await app.keys.create(newKey('ended', { expiresAtMs: NOW_MS + 1 }));
    await app.keys.create(newKey('revoked_2'));
    await app.keys.revoke('revoked_2', NOW_MS);
    const count = await app.keys.count();
    for (const keyId of ['ended', 'revoked_2', 'unknown']) {
      const secret = { keyId: `${keyId}2`, hash: `${keyId}2`, createdAtMs: NOW_MS + 1 };
      await assert.rejects(app.keys.rotate(keyId, secret, NOW_MS + 60), isRefusal('key_not_found'));
    }
    assert.equal(await app.keys.count(), count);
  });

  it('makes a preset key valid again after its rotation or revocation, and revokes all others of its name', async () => {
    const preset = (keyId: string, hash: string, createdAtMs: number) =>
      app.keys.preset(
        newKey(keyId, { name: 'preset', hash, createdAtMs, grants: [grantOf(['read', 'admin'])] }),
      );
    assert.equal(await preset('preset_1', 'first', NOW_MS), 'created');
    assert.equal(await preset('preset_2', 'first', NOW_MS + 1), 'unchanged');
    await app.keys.rotate(
      'preset_1',
      { keyId: 'preset_3', hash: 'successor', createdAtMs: NOW_MS + 2 },
      NOW_MS + 3,
    );
    assert.equal(await preset('preset_4', 'first', NOW_MS + 4), 'restored');
    const first = await app.keys.findByHash('first');
    assert.deepEqual([first?.keyId, first?.expiresAtMs, first?.revokedAtMs], ['preset_1', null, null]);
    assert.equal((await app.keys.findByHash('successor'))?.revokedAtMs, NOW_MS + 4);
    assert.equal(await preset('preset_5', 'second', NOW_MS + 5), 'created');
    assert.equal((await app.keys.findByHash('first'))?.revokedAtMs, NOW_MS + 5);
    assert.equal(await preset('preset_6', 'first', NOW_MS + 6), 'restored');
    assert.equal((await app.keys.findByHash('second'))?.revokedAtMs, NOW_MS + 6);
  });

  it('gives a preset key all its rights, also one that was issued with fewer', async () => {
    await app.keys.create(newKey('issued', { hash: 'issued', grants: [grantOf(['read'], ['North'])] }));
    const preset = newKey('other', { name: 'preset', hash: 'issued', grants: [grantOf(['admin'])] });
    assert.equal(await app.keys.preset(preset), 'restored');
    const stored = await app.keys.findByHash('issued');
    assert.deepEqual([stored?.keyId, stored?.grants], ['issued', [grantOf(['admin'])]]);
  });

  it('creates the same preset key once for many nodes at once', async () => {
    const other = await engine.open();
    const outcomes = await Promise.all(
      [app, other, app, other].map((node, n) =>
        node.keys.preset(newKey(`many_${n}`, { name: 'many', hash: 'many', grants: [grantOf(['admin'])] })),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
  });

  it('creates a first admin key only while there is no other, also for many nodes at once', async () => {
    const other = await engine.open();
    const createFirst = (at: App, keyId: string) =>
      at.keys.createFirst(newKey(keyId, { grants: [grantOf(['read', 'admin'])] }));
    for (const { keyId } of await app.keys.list({ afterKeyId: null, limit: 1_000 })) {
      await app.keys.revoke(keyId, NOW_MS);
    }
    const limited = newKey('limited', { grants: [grantOf(['admin'], ['North'])] });
    await app.keys.create(limited);
    const created = await Promise.all([app, other, app, other].map((at, n) => createFirst(at, `first_${n}`)));
    assert.equal(created.filter((key) => key !== undefined).length, 1);
    assert.equal(await createFirst(other, 'second'), undefined);
  });
});

describePostgres('preset keys of several nodes', (engine) => {
  it('stay while a live node has them in its settings', async () => {
    const app = await engine.open();
    const nodes = app.nodes;
    assert(nodes !== null);
    const node = (nodeId: string, presetHash: string) => ({
      nodeId,
      folderId: nodeId,
      host: 'barn',
      broker: 'external' as const,
      version: '1',
      presetHash,
    });
    const preset = (keyId: string, hash: string) =>
      app.keys.preset(newKey(keyId, { name: 'rolling', hash, createdAtMs: Date.now() }));
    await nodes.join(node('one', 'today'), () => []);
    await preset('a', 'today');
    await nodes.join(node('two', 'tomorrow'), () => []);
    assert.equal(await preset('b', 'tomorrow'), 'created');
    assert.equal((await app.keys.findByHash('today'))?.revokedAtMs, null);
    await nodes.leave('one');
    await nodes.join(node('one', 'tomorrow'), () => []);
    assert.equal(await preset('c', 'tomorrow'), 'unchanged');
    assert.notEqual((await app.keys.findByHash('today'))?.revokedAtMs, null);
  });
});
