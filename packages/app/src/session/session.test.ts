import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { grantOf } from '@granary/core/keys';
import { SESSIONS_PER_KEY_MAX } from '@granary/core/session';
import { describeEachEngine } from '@granary/testing/app/engines';
import { NOW_MS } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import type { NewStoredKey } from '../keys/key-rows.ts';

const newKey = (keyId: string, fields: Partial<NewStoredKey> = {}): NewStoredKey => ({
  keyId,
  hash: `hash of ${keyId}`,
  name: keyId,
  kind: 'service',
  grants: [grantOf(['read'])],
  createdAtMs: NOW_MS,
  expiresAtMs: null,
  ...fields,
});

describeEachEngine('sessions', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const signIn = (keyId: string, hash: string, nowMs = NOW_MS, codeHash: string | null = null) =>
    app.session.create({ keyId, hash, nowMs, codeHash, formerHash: null });
  const newCode = (
    keyId: string,
    hash: string,
    expiresAtMs = NOW_MS + MINUTE_MS,
    sessionHash: string | null = null,
  ) => app.session.createCode({ hash, keyId, sessionHash, createdAtMs: NOW_MS, expiresAtMs });

  const find = async (hash: string) => (await app.session.find([hash, 'hash of nobody'])).get(hash);
  const keyOfCode = async (hash: string, nowMs: number) =>
    (await app.session.keysOfCodes(['hash of nobody', hash], nowMs)).get(hash);

  it('are found by their hash, with the key as it is now', async () => {
    const stored = await app.keys.create(newKey('found', { grants: [grantOf(['read'], ['north'])] }));
    const key = { ...stored, personalKeyId: null };
    const session = {
      hash: 's_found',
      endsAtMs: null,
      providerSid: null,
      keyId: 'found',
      address: '',
      browser: '',
      createdAtMs: NOW_MS,
      lastUsedAtMs: NOW_MS,
      expiresAtMs: NOW_MS + 7 * DAY_MS,
    };
    assert.deepEqual(await signIn('found', 's_found'), { key, session, person: null });
    assert.deepEqual(await find('s_found'), { key, session, person: null });
    assert.equal(await find('hash of found'), undefined);
    await app.keys.rotate('found', { keyId: 'next', hash: 'next', createdAtMs: NOW_MS }, NOW_MS + HOUR_MS);
    assert.equal((await find('s_found'))?.key.expiresAtMs, NOW_MS + HOUR_MS);
  });

  it('last longer when they are used, and a late record of an earlier use changes nothing', async () => {
    await app.keys.create(newKey('used'));
    const { session } = (await signIn('used', 's_used')) ?? {};
    assert.ok(session !== undefined);
    await app.session.recordUse(session, 'service', NOW_MS + 2 * DAY_MS);
    await app.session.recordUse(session, 'service', NOW_MS + DAY_MS);
    const found = await find('s_used');
    assert.equal(found?.session.lastUsedAtMs, NOW_MS + 2 * DAY_MS);
    assert.equal(found.session.expiresAtMs, NOW_MS + 9 * DAY_MS);
  });

  it('end, and ending them again changes nothing', async () => {
    await app.keys.create(newKey('left'));
    await signIn('left', 's_left');
    await signIn('left', 's_other');
    await app.session.end('s_left');
    await app.session.end('s_left');
    await app.session.end(null);
    assert.equal(await find('s_left'), undefined);
    assert.ok((await find('s_other')) !== undefined);
  });

  it('are not made for a key that has ended', async () => {
    await app.keys.create(newKey('expired', { expiresAtMs: NOW_MS + 5 }));
    await app.keys.create(newKey('revoked'));
    await app.keys.revoke('revoked', NOW_MS);
    assert.equal(await signIn('expired', 's_1', NOW_MS + 5), undefined);
    assert.equal(await signIn('revoked', 's_2'), undefined);
    assert.equal(await signIn('unknown', 's_3'), undefined);
  });

  it('end for good with the revocation of their key, also when the key is restored', async () => {
    const preset = newKey('restored');
    await app.keys.preset(preset);
    await signIn('restored', 's_restored');
    await newCode('restored', 'c_restored');
    await app.keys.revoke('restored', NOW_MS);
    assert.equal(await app.keys.preset(preset), 'restored');
    assert.equal(await find('s_restored'), undefined);
    assert.equal(await signIn('restored', 's_again', NOW_MS, 'c_restored'), undefined);
  });

  it('are limited for each key: the one that was used longest ago ends', async () => {
    await app.keys.create(newKey('many'));
    await app.keys.create(newKey('one'));
    await signIn('one', 's_one', NOW_MS - HOUR_MS);
    for (let i = 0; i <= SESSIONS_PER_KEY_MAX; i++) await signIn('many', `s_many_${i}`, NOW_MS + i);
    assert.equal(await find('s_many_0'), undefined);
    for (const hash of ['s_many_1', `s_many_${SESSIONS_PER_KEY_MAX}`, 's_one']) {
      assert.ok((await find(hash)) !== undefined, hash);
    }
  });

  it('end when their browser signs in again, also with another key, and stay when it cannot', async () => {
    await app.keys.create(newKey('former'));
    await app.keys.create(newKey('later'));
    await signIn('former', 's_former');
    const again = { keyId: 'later', hash: 's_later', formerHash: 's_former', nowMs: NOW_MS };
    assert.equal(await app.session.create({ ...again, codeHash: 'c_unknown' }), undefined);
    assert.ok((await find('s_former')) !== undefined);
    await app.session.create({ ...again, codeHash: null });
    assert.equal(await find('s_former'), undefined);
    assert.equal((await find('s_later'))?.key.keyId, 'later');
  });

  it('begin with a code once, also when two use it at the same moment', async () => {
    await app.keys.create(newKey('coded'));
    await newCode('coded', 'c_1');
    assert.equal((await keyOfCode('c_1', NOW_MS))?.keyId, 'coded');
    const other = await engine.open();
    const made = await Promise.all(
      [app, other, app, other].map((node, i) =>
        node.session.create({
          keyId: 'coded',
          hash: `s_race_${i}`,
          codeHash: 'c_1',
          nowMs: NOW_MS,
          formerHash: null,
        }),
      ),
    );
    assert.equal(made.filter((one) => one !== undefined).length, 1);
    assert.equal(await keyOfCode('c_1', NOW_MS), undefined);
  });

  it('do not begin with a code that has ended', async () => {
    await app.keys.create(newKey('late'));
    await newCode('late', 'c_late');
    assert.equal(await keyOfCode('c_late', NOW_MS + MINUTE_MS), undefined);
    assert.equal(await signIn('late', 's_late', NOW_MS + MINUTE_MS, 'c_late'), undefined);
  });

  /** Signs in with a code that was made in a session; returns whether this succeeded. */
  const signInFrom = async (keyId: string, madeIn: string, hash: string, nowMs = NOW_MS) => {
    await newCode(keyId, `code of ${hash}`, nowMs + DAY_MS, madeIn);
    return (await signIn(keyId, hash, nowMs, `code of ${hash}`)) !== undefined;
  };
  const left = async (keyId: string) =>
    (await app.session.list(keyId, NOW_MS)).map(({ hash }) => hash).sort();

  it('end with their codes, and with what was signed in with these, also with codes of codes', async () => {
    await app.keys.create(newKey('tree'));
    for (const hash of ['t_one', 't_other']) await signIn('tree', hash);
    assert.ok(await signInFrom('tree', 't_one', 't_phone'));
    assert.ok(await signInFrom('tree', 't_phone', 't_tablet'));
    assert.ok(await signInFrom('tree', 't_other', 't_kept'));
    for (const hash of ['t_one', 't_tablet']) await newCode('tree', `late ${hash}`, NOW_MS + DAY_MS, hash);
    await newCode('tree', 'late of the key', NOW_MS + DAY_MS);
    await app.session.end('t_one');
    assert.deepEqual(await left('tree'), ['t_kept', 't_other']);
    for (const code of ['late t_one', 'late t_tablet']) {
      assert.equal(await signIn('tree', `by ${code}`, NOW_MS, code), undefined, code);
    }
    assert.ok((await signIn('tree', 't_key', NOW_MS, 'late of the key')) !== undefined);
    // The code is stored after the end of its session.
    await newCode('tree', 'too late', NOW_MS + DAY_MS, 't_one');
    assert.equal(await signIn('tree', 't_late', NOW_MS, 'too late'), undefined);
  });

  it('end with the codes of all when all others are ended, also with those of the one that stays', async () => {
    await app.keys.create(newKey('alone'));
    for (const hash of ['a_one', 'a_other']) await signIn('alone', hash);
    await signInFrom('alone', 'a_other', 'a_phone');
    for (const hash of ['a_one', 'a_phone']) await newCode('alone', `c ${hash}`, NOW_MS + DAY_MS, hash);
    await app.session.endOthers('alone', 'a_phone');
    assert.deepEqual(await left('alone'), ['a_phone']);
    for (const hash of ['a_one', 'a_phone']) {
      assert.equal(await signIn('alone', `by ${hash}`, NOW_MS, `c ${hash}`), undefined, hash);
    }
  });

  it('begun with codes cannot be used for longer than the first, however many codes lie between', async () => {
    await app.keys.create(newKey('chain'));
    await signIn('chain', 'chain 0');
    for (let at = 1; at < 6; at++) {
      assert.ok(await signInFrom('chain', `chain ${at - 1}`, `chain ${at}`, NOW_MS + at * 5 * DAY_MS));
    }
    const found = await find('chain 5');
    assert.equal(found?.session.endsAtMs, NOW_MS + 30 * DAY_MS);
    assert.equal(found?.session.expiresAtMs, NOW_MS + 30 * DAY_MS);
    await newCode('chain', 'of what has ended', NOW_MS + 90 * DAY_MS, 'chain 5');
    assert.equal(await signIn('chain', 'late', NOW_MS + 31 * DAY_MS, 'of what has ended'), undefined);
  });

  it('end with codes that are used in the same moment', async () => {
    const other = await engine.open();
    for (let round = 0; round < 10; round++) {
      const keyId = `moment ${round}`;
      await app.keys.create(newKey(keyId));
      const [root, code] = [`root ${round}`, `code ${round}`];
      await signIn(keyId, root);
      await newCode(keyId, code, NOW_MS + DAY_MS, root);
      const use = { keyId, hash: `used ${round}`, codeHash: code, formerHash: null, nowMs: NOW_MS };
      await Promise.all([
        other.session.create(use),
        app.session.end(root),
        other.session.createCode({
          hash: `made ${round}`,
          keyId,
          sessionHash: root,
          createdAtMs: NOW_MS,
          expiresAtMs: NOW_MS + DAY_MS,
        }),
      ]);
      assert.deepEqual(await left(keyId), []);
      assert.equal(await signIn(keyId, `after ${round}`, NOW_MS, `made ${round}`), undefined);
    }
  });

  it('change nothing of their person after they have ended, as by a new password', async () => {
    const person = { keyId: 'per_late', login: 'late', name: 'Late', email: null, createdAtMs: NOW_MS };
    const code = { hash: 'i_late', keyId: 'per_late', createdAtMs: NOW_MS, expiresAtMs: NOW_MS + DAY_MS };
    await app.people.invite({ ...person, grants: [grantOf(['read'])] }, code);
    await signIn('per_late', 's_kept');
    await signIn('per_late', 's_late_other');
    const { keyId } = person;
    const change = (keptHash: string, password: string) =>
      app.session.changePassword({ keyId, keptHash, password });
    assert.notEqual(await change('s_kept', 'new'), undefined);
    assert.equal(await change('s_late_other', 'of somebody else'), undefined);
    const ended = { personId: keyId, sessionHash: 's_late_other' };
    const factor = { secret: 'A'.repeat(32), lastStep: 1, recoveryHashes: [] };
    assert.equal(await app.people.changeSecondFactor(ended, factor), undefined);
    assert.equal(await app.terminals.setPin(ended, 'pin'), undefined);
    const passkey = {
      credentialId: 'late',
      keyId,
      name: 'phone',
      rpId: 'farm.example',
      publicKey: 'key',
      signCount: 0,
      createdAtMs: NOW_MS,
      lastUsedAtMs: null,
    };
    const challenge = { hash: 'challenge of late', expiresAtMs: NOW_MS + MINUTE_MS };
    const uses = { challenge, sessionHash: 's_late_other' };
    assert.equal(await app.people.addPasskey(passkey, uses), undefined);
    const stored = await app.people.findByLogin('late');
    assert.deepEqual([stored?.password, stored?.secondFactor], ['new', null]);
    assert.equal(await app.terminals.pinOf(keyId), null);
    assert.deepEqual(await app.people.passkeys(keyId), []);
    const held = { personId: keyId, sessionHash: 's_kept' };
    assert.notEqual(await app.terminals.setPin(held, 'pin'), undefined);
    assert.notEqual(await app.people.addPasskey(passkey, { ...uses, sessionHash: 's_kept' }), undefined);
    assert.notEqual(await app.people.changeSecondFactor(held, factor), undefined);
  });

  it('begin with a challenge once, also when two nodes are given it at the same moment, and share the key of challenges', async () => {
    const nodes = [app, await engine.open()];
    await Promise.all(nodes.map((node, at) => node.session.keepChallengeKey(`key of node ${at}`)));
    const keys = await Promise.all(nodes.map((node) => node.session.challengeKey()));
    assert.match(keys[0] ?? '', /^key of node [01]$/);
    assert.equal(keys[1], keys[0]);
    await app.keys.create(newKey('challenged'));
    const challenge = { hash: 'signed', expiresAtMs: NOW_MS + MINUTE_MS };
    const begun = await Promise.all(
      [...nodes, ...nodes].map((node, at) =>
        node.session.create({
          keyId: 'challenged',
          hash: `s_challenged_${at}`,
          codeHash: null,
          formerHash: null,
          nowMs: NOW_MS,
          challenge,
        }),
      ),
    );
    assert.equal(begun.filter((one) => one !== undefined).length, 1);
    // A used challenge is stored until a node whose clock is slow no longer accepts it.
    await app.session.expire({ beforeMs: NOW_MS + 2 * MINUTE_MS, rowsMax: 100 });
    const again = { keyId: 'challenged', hash: 's_again', codeHash: null, formerHash: null, nowMs: NOW_MS };
    assert.equal(await app.session.create({ ...again, challenge }), undefined);
  });

  it('are removed after their end, a limited number at a time', async () => {
    await app.keys.create(newKey('old'));
    const longAgoMs = NOW_MS - 90 * DAY_MS;
    for (const hash of ['s_old_1', 's_old_2', 's_old_3']) await signIn('old', hash, longAgoMs);
    await newCode('old', 'c_old', longAgoMs);
    const expiry = { beforeMs: longAgoMs + 7 * DAY_MS, rowsMax: 2 };
    assert.equal(await app.session.expire(expiry), 3);
    assert.equal(await app.session.expire(expiry), 1);
    assert.equal(await app.session.expire(expiry), 0);
  });
});
