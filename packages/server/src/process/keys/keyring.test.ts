import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { App } from '@granary/app/app';
import type { Scope } from '@granary/contract/keys';
import { SECOND_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { eventually } from '@granary/testing/server/eventually';
import { createLogger } from '../logging/logger.ts';
import { draftKey, Keyring } from './keyring.ts';
import { KnownCallers, LAST_KNOWN_MS_MAX } from './known-callers.ts';
import { hashSecret, newSessionSecret, sessionCredential } from './secrets.ts';

const START_MS = Date.UTC(2026, 5, 15);

describeEachEngine('a key that is used on two nodes', (engine) => {
  let here: App;
  let there: App;
  before(async () => {
    here = await engine.open();
    there = await engine.open();
  });

  const knownBy = (app: App, clock: { readonly nowMs: number }) =>
    new KnownCallers({ app, logger: createLogger('silent', false), now: () => clock.nowMs });

  /** A key that is known to a node whose clock the test sets. */
  async function knownKey() {
    const { key, stored } = draftKey({ name: 'k', scopes: ['operate'] }, START_MS);
    await here.keys.create(stored);
    const clock = { nowMs: START_MS };
    const keyring = new Keyring(there, knownBy(there, clock), () => clock.nowMs);
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
    const keyring = new Keyring(
      { ...there, keys: slow, urgent: there },
      knownBy(there, clock),
      () => clock.nowMs,
    );
    const identified = keyring.identify(key);
    keyring.drop(keyId);
    lookUp.resolve();
    await identified;
    assert.equal(keyring.lastKnown(key), null);
  });

  it('is known before it is used: a key, its sessions, and a person at a terminal, until they end', async (t) => {
    const clock = { nowMs: START_MS };
    const known = knownBy(there, clock);
    const keyring = new Keyring(there, known, () => clock.nowMs);
    const make = async (scopes: Scope[]) => {
      const { key, stored } = draftKey({ name: 'k', scopes }, START_MS);
      await here.keys.create(stored);
      return { key, keyId: stored.keyId };
    };
    const signIn = async (keyId: string) => {
      const secret = newSessionSecret();
      const hash = hashSecret(secret);
      await here.session.create({ keyId, codeHash: null, hash, formerHash: null, nowMs: START_MS });
      return { cookie: sessionCredential(secret), hash };
    };
    const nameOf = (credential: string) => keyring.lastKnown(credential)?.keyId ?? null;
    const before = await make(['stop']);
    // These are more than one part of the reading.
    const many: Awaited<ReturnType<typeof make>>[] = [];
    while (many.length < 510)
      many.push(...(await Promise.all(Array.from({ length: 10 }, () => make(['operate'])))));
    const ofBefore = await signIn(before.keyId);
    await known.start();
    t.after(() => known.stop());
    assert.deepEqual([before.key, ofBefore.cookie].map(nameOf), [before.keyId, before.keyId]);
    assert.deepEqual(
      many.map(({ key }) => nameOf(key)),
      many.map(({ keyId }) => keyId),
    );

    const reader = await make(['read']);
    const after = await make(['stop']);
    const ofAfter = await signIn(after.keyId);
    keyring.accessChanged([reader.keyId, after.keyId, ofAfter.hash]);
    await eventually(async () => nameOf(ofAfter.cookie), after.keyId);
    assert.deepEqual([nameOf(after.key), nameOf(reader.key)], [after.keyId, null]);

    await here.session.end(ofAfter.hash);
    await here.keys.revoke(before.keyId, START_MS);
    keyring.accessChanged([ofAfter.hash]);
    keyring.drop(before.keyId);
    assert.deepEqual([before.key, ofBefore.cookie].map(nameOf), [null, null]);
    await eventually(async () => nameOf(ofAfter.cookie), null);
    assert.equal(nameOf(after.key), after.keyId);

    // The end of this key was not reported.
    await here.keys.revoke(after.keyId, START_MS);
    keyring.changesMissed();
    await eventually(async () => nameOf(after.key), null);
  });
});
