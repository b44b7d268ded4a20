import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { App } from '@granary/app/app';
import { SECOND_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { draftKey, Keyring, LAST_KNOWN_MS_MAX } from './keyring.ts';

const START_MS = Date.UTC(2026, 5, 15);

describeEachEngine('a key that is used on two nodes', (engine) => {
  let here: App;
  let there: App;
  before(async () => {
    here = await engine.open();
    there = await engine.open();
  });

  /** A key that is known to a node whose clock the test sets. */
  async function knownKey() {
    const { key, stored } = draftKey({ name: 'k', scopes: ['operate'] }, START_MS);
    await here.keys.create(stored);
    const clock = { nowMs: START_MS };
    const keyring = new Keyring(there, () => clock.nowMs);
    assert.equal((await keyring.identify(key))?.keyId, stored.keyId);
    return { key, keyId: stored.keyId, clock, keyring };
  }

  it('is looked up again within a second, so that a revocation on the other node takes effect', async () => {
    const { key, keyId, clock, keyring } = await knownKey();
    assert.equal(keyring.cached(key)?.keyId, keyId);
    await here.keys.revoke(keyId, clock.nowMs);
    clock.nowMs += SECOND_MS - 1;
    assert.equal(keyring.cached(key), null);
    assert.equal(await keyring.identify(key), null);
    assert.equal(keyring.lastKnown(key), null);
  });

  it('is not cached longer when the clock is set back', async () => {
    const { key, clock, keyring } = await knownKey();
    clock.nowMs -= 60 * SECOND_MS;
    assert.equal(keyring.cached(key), null);
  });

  it('stays last known for a day while it cannot be looked up, and not longer', async () => {
    const { key, keyId, clock, keyring } = await knownKey();
    clock.nowMs += LAST_KNOWN_MS_MAX - 1;
    assert.equal(keyring.lastKnown(key)?.keyId, keyId);
    clock.nowMs += 1;
    assert.equal(keyring.lastKnown(key), null);
  });

  it('is removed when the event log has its end on the other node', async () => {
    const revoked = await knownKey();
    const rotated = await knownKey();
    const { newest } = await there.events.bounds();
    await here.keys.revoke(revoked.keyId, START_MS);
    const successor = draftKey({ name: 'k', scopes: ['operate'] }, START_MS).stored;
    await here.keys.rotate(rotated.keyId, successor, START_MS);
    const events = await there.events.after({ sequence: newest, limit: 10 });
    for (const { key, keyring } of [revoked, rotated]) {
      keyring.observe(events);
      assert.equal(keyring.lastKnown(key), null);
    }
  });

  it('is not kept from a look-up that began before its end was received', async () => {
    const { key, keyId, clock } = await knownKey();
    const lookUp = Promise.withResolvers<void>();
    const slow = {
      ...there.keys,
      findByHashes: async (hashes: readonly string[]) => {
        const found = await there.keys.findByHashes(hashes);
        await lookUp.promise;
        return found;
      },
    };
    const keyring = new Keyring({ ...there, keys: slow, urgent: there }, () => clock.nowMs);
    const identified = keyring.identify(key);
    keyring.drop(keyId);
    lookUp.resolve();
    await identified;
    assert.equal(keyring.lastKnown(key), null);
  });
});
