import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { NOW_MS } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import type { Arrival } from './sign-on.ts';

const ISSUER = 'https://id.example';

let count = 0;
const arrival = (subject: string, groups: string[], more: Partial<Arrival> = {}): Arrival => ({
  issuer: ISSUER,
  subject,
  person: { name: 'Ada', email: 'ada@example.com', login: 'ada' },
  claimed: { groups, areLeftOut: false },
  adminGroup: null,
  link: null,
  newKeyId: `per_${++count}`,
  distinction: `x${count}`,
  address: '127.0.0.1',
  nowMs: NOW_MS,
  ...more,
});

describeEachEngine('sign-ins with the identity provider', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
    const groups = [{ group: 'operators', role: 'operator' as const, facilities: ['north'] }];
    await app.signOn.putPolicy({ groups, session_hours: 12, reconfirm: [], second_factor_for: 'nobody' });
  });

  const known = async (wanted: Arrival) => {
    const outcome = await app.signOn.arrive(wanted);
    assert.equal(outcome.kind, 'known', JSON.stringify(outcome));
    if (outcome.kind !== 'known') throw new Error('refused');
    return outcome.key;
  };
  const rolesOf = async (keyId: string) =>
    (await app.people.find(keyId))?.grants.map(({ role, source }) => `${role} ${source ?? 'local'}`);

  it('makes a person at the first one, with the role at once, and finds them at the next', async () => {
    const key = await known(arrival('one', ['operators']));
    assert.deepEqual([key.kind, key.name], ['person', 'Ada']);
    assert.deepEqual(await rolesOf(key.keyId), ['operator oidc']);
    assert.equal((await known(arrival('one', ['operators']))).keyId, key.keyId);
    const person = await app.people.find(key.keyId);
    assert.deepEqual([person?.login, person?.hasIdentity, person?.hasPassword], ['ada', true, false]);
  });

  it('keeps two people with one e-mail address and one name apart', async () => {
    const [one, other] = [
      await known(arrival('one', ['operators'])),
      await known(arrival('two', ['operators'])),
    ];
    assert.notEqual(one.keyId, other.keyId);
    assert.match((await app.people.find(other.keyId))?.login ?? '', /^ada-x\d+$/);
    const elsewhere = await known(arrival('one', ['operators'], { issuer: 'https://other.example' }));
    assert.notEqual(elsewhere.keyId, one.keyId);
  });

  it('many first sign-ins of one person at once make one person', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => known(arrival('at once', ['operators']))));
    assert.equal(new Set(keys.map(({ keyId }) => keyId)).size, 1);
  });

  it('takes away what the provider does not grant any more, and leaves what was given here', async () => {
    const { keyId } = await known(arrival('three', ['operators']));
    const refused = await app.signOn.arrive(arrival('three', []));
    assert.deepEqual(refused, { kind: 'refused', result: 'no_role' });
    assert.deepEqual(await rolesOf(keyId), []);
    const local = { role: 'viewer' as const, scopes: ['read' as const], facilities: null, deviceIds: null };
    await app.people.change(keyId, { grants: [local] });
    await known(arrival('three', ['operators']));
    assert.deepEqual(await rolesOf(keyId), ['viewer local', 'operator oidc']);
    // A change of the local rights leaves the rights that the provider has granted.
    await app.people.change(keyId, { grants: [{ ...local, facilities: ['south'] }] });
    assert.deepEqual(await rolesOf(keyId), ['viewer local', 'operator oidc']);
    await known(arrival('three', []));
    assert.deepEqual(await rolesOf(keyId), ['viewer local']);
  });

  it('refuses without a group, and makes nobody', async () => {
    const before = (await app.people.list({ afterKeyId: null, limit: 100 })).length;
    assert.deepEqual(await app.signOn.arrive(arrival('nobody', ['others'])), {
      kind: 'refused',
      result: 'no_role',
    });
    const leftOut = arrival('nobody', [], { claimed: { groups: [], areLeftOut: true } });
    assert.deepEqual(await app.signOn.arrive(leftOut), { kind: 'refused', result: 'groups_left_out' });
    assert.equal((await app.people.list({ afterKeyId: null, limit: 100 })).length, before);
    const [last, first] = await app.signOn.signIns(null, 2);
    assert.deepEqual(
      [last?.result, first?.result, first?.groups],
      ['groups_left_out', 'no_role', ['others']],
    );
  });

  it('does not let in a person who was disabled', async () => {
    const { keyId } = await known(arrival('four', ['operators']));
    await app.people.disable(keyId, NOW_MS);
    const again = arrival('four', ['operators'], { nowMs: NOW_MS + 1 });
    assert.deepEqual(await app.signOn.arrive(again), { kind: 'refused', result: 'disabled' });
  });

  it('gives an identity to the person of an invitation, once, and to nobody else', async () => {
    const person = { login: 'grace', name: 'Grace', email: null, createdAtMs: NOW_MS };
    const grants = [
      { role: 'viewer' as const, scopes: ['read' as const], facilities: null, deviceIds: null },
    ];
    const code = { hash: 'invite', keyId: 'per_grace', createdAtMs: NOW_MS, expiresAtMs: NOW_MS + DAY_MS };
    await app.people.invite({ ...person, keyId: 'per_grace', grants }, code);
    const link = { keyId: 'per_grace', codeHash: 'invite', sessionHash: null };
    const taken = await app.signOn.arrive(arrival('one', ['operators'], { link }));
    assert.deepEqual(taken, { kind: 'refused', result: 'other_person' });
    assert.equal((await known(arrival('five', [], { link }))).keyId, 'per_grace');
    const again = await app.signOn.arrive(arrival('six', ['operators'], { link }));
    assert.deepEqual(again, { kind: 'refused', result: 'link_ended' });
    assert.equal((await known(arrival('five', ['operators']))).keyId, 'per_grace');
    assert.deepEqual(await rolesOf('per_grace'), ['viewer local', 'operator oidc']);
  });

  it('uses once what may be used once', async () => {
    const uses = await Promise.all([1, 2, 3].map(() => app.signOn.use('state', NOW_MS + HOUR_MS)));
    assert.equal(uses.filter(Boolean).length, 1);
    await app.session.expire({ beforeMs: NOW_MS + HOUR_MS, rowsMax: 100 });
    assert.equal(await app.signOn.use('state', NOW_MS + HOUR_MS), true);
  });

  it('ends the sessions that the provider has ended, and no others', async () => {
    const { keyId } = await known(arrival('seven', ['operators']));
    const session = { keyId, codeHash: null, formerHash: null, nowMs: NOW_MS };
    const endsAtMs = NOW_MS + 12 * HOUR_MS;
    for (const providerSid of ['sid-1', 'sid-2', '']) {
      await app.session.create({ ...session, hash: `h ${providerSid}`, provider: { providerSid, endsAtMs } });
    }
    await app.session.create({ ...session, hash: 'h local' });
    const left = async () => (await app.session.list(keyId, NOW_MS)).map(({ hash }) => hash).sort();
    const message = (hash: string) => ({ hash, expiresAtMs: NOW_MS + HOUR_MS });
    const ended = { issuer: ISSUER, subject: 'seven', sid: 'sid-1' };
    assert.equal(await app.signOn.logout({ ...ended, subject: null }, message('m1')), 1);
    assert.deepEqual(await left(), ['h ', 'h local', 'h sid-2']);
    assert.equal(await app.signOn.logout({ ...ended, sid: null }, message('m1')), 0);
    assert.equal(await app.signOn.logout({ ...ended, sid: null, subject: 'unknown' }, message('m2')), 0);
    assert.equal(await app.signOn.logout({ ...ended, sid: null }, message('m3')), 2);
    assert.deepEqual(await left(), ['h local']);
  });

  it('ends the sessions whose name the provider has not told, when it names one with their person', async () => {
    const message = (hash: string) => ({ hash: `unnamed ${hash}`, expiresAtMs: NOW_MS + HOUR_MS });
    const endsAtMs = NOW_MS + 12 * HOUR_MS;
    const keyIds: string[] = [];
    for (const subject of ['unnamed', 'another']) {
      const { keyId } = await known(arrival(subject, ['operators']));
      keyIds.push(keyId);
      const session = { keyId, codeHash: null, formerHash: null, nowMs: NOW_MS };
      for (const providerSid of [`${subject} 1`, `${subject} 2`, '']) {
        const hash = `u ${subject} ${providerSid}`;
        await app.session.create({ ...session, hash, provider: { providerSid, endsAtMs } });
      }
      await app.session.create({ ...session, hash: `u ${subject} local` });
    }
    const left = async () =>
      (await Promise.all(keyIds.map((keyId) => app.session.list(keyId, NOW_MS))))
        .flat()
        .map(({ hash }) => hash)
        .filter((hash) => hash.startsWith('u unnamed'))
        .sort();
    const ended = { issuer: ISSUER, subject: 'unnamed' };
    assert.equal(await app.signOn.logout({ ...ended, sid: 'of no session' }, message('m1')), 1);
    assert.deepEqual(await left(), ['u unnamed local', 'u unnamed unnamed 1', 'u unnamed unnamed 2']);
    assert.equal(await app.signOn.logout({ ...ended, sid: 'unnamed 1' }, message('m2')), 1);
    assert.deepEqual(await left(), ['u unnamed local', 'u unnamed unnamed 2']);
    assert.equal((await app.session.list(keyIds[1] ?? '', NOW_MS)).length, 4, 'of somebody else');
  });

  it('a session of the provider ends at its time, also if it is used', async () => {
    const { keyId } = await known(arrival('eight', ['operators']));
    const provider = { providerSid: '', endsAtMs: NOW_MS + 12 * HOUR_MS };
    const wanted = { keyId, codeHash: null, formerHash: null, nowMs: NOW_MS, hash: 'ends', provider };
    const created = await app.session.create(wanted);
    assert.ok(created !== undefined);
    await app.session.recordUse(created.session, 'person', NOW_MS + 11 * HOUR_MS);
    const found = (await app.session.find(['ends'])).get('ends');
    assert.equal(found?.session.expiresAtMs, provider.endsAtMs);
  });

  it('a link that was asked for in a session ends with it, and is for nobody else', async () => {
    const grants = [
      { role: 'viewer' as const, scopes: ['read' as const], facilities: null, deviceIds: null },
    ];
    for (const keyId of ['per_linked', 'per_other']) {
      const person = { keyId, login: keyId, name: keyId, email: null, createdAtMs: NOW_MS, grants };
      const code = { hash: `code ${keyId}`, keyId, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + DAY_MS };
      await app.people.invite(person, code);
    }
    const session = { codeHash: null, formerHash: null, nowMs: NOW_MS };
    const created = await app.session.create({ ...session, keyId: 'per_linked', hash: 'linked' });
    await app.session.create({ ...session, keyId: 'per_other', hash: 'other' });
    assert.ok(created !== undefined);
    const { expiresAtMs: endsAtMs } = created.session;
    const linkedAt = async (subject: string, nowMs: number, sessionHash: string) => {
      const link = { keyId: 'per_linked', codeHash: null, sessionHash };
      return await app.signOn.arrive(arrival(subject, [], { link, nowMs }));
    };
    const ended = { kind: 'refused', result: 'link_ended' };
    assert.deepEqual(await linkedAt('linked', endsAtMs, 'linked'), ended, 'the session has expired');
    assert.deepEqual(await linkedAt('linked', NOW_MS, 'other'), ended, 'the session of another person');
    assert.deepEqual(await linkedAt('linked', NOW_MS, 'nobody'), ended, 'no session');
    const taken = await linkedAt('linked', endsAtMs - 1, 'linked');
    assert.ok(taken.kind !== 'refused' && taken.key.keyId === 'per_linked');
  });

  it('what is signed in with a code ends with the session of the provider', async () => {
    const { keyId } = await known(arrival('coded', ['operators']));
    const endsAtMs = NOW_MS + HOUR_MS;
    const codeOf = (sessionHash: string, hash: string) =>
      app.session.createCode({
        hash,
        keyId,
        sessionHash,
        createdAtMs: NOW_MS,
        expiresAtMs: NOW_MS + DAY_MS,
      });
    const signIn = (hash: string, codeHash: string | null, providerSid?: string) =>
      app.session.create({
        keyId,
        hash,
        codeHash,
        formerHash: null,
        nowMs: NOW_MS,
        ...(providerSid === undefined ? {} : { provider: { providerSid, endsAtMs } }),
      });
    const message = (hash: string) => ({ hash: `coded ${hash}`, expiresAtMs: NOW_MS + HOUR_MS });
    const left = async () => (await app.session.list(keyId, NOW_MS)).map(({ hash }) => hash);
    for (const ended of [{ sid: 'sid coded' }, { sid: null }, 'unlinked'] as const) {
      await known(arrival('coded', ['operators']));
      const root = `root ${JSON.stringify(ended)}`;
      await signIn(root, null, 'sid coded');
      await codeOf(root, `code ${root}`);
      const created = await signIn(`phone ${root}`, `code ${root}`);
      assert.deepEqual(
        [created?.session.expiresAtMs, created?.session.endsAtMs, created?.session.providerSid],
        [endsAtMs, endsAtMs, 'sid coded'],
      );
      await codeOf(`phone ${root}`, `waits ${root}`);
      if (ended === 'unlinked') await app.people.unlink(keyId);
      else {
        const who = { issuer: ISSUER, subject: 'coded', ...ended };
        assert.equal(await app.signOn.logout(who, message(root)), 2);
      }
      assert.deepEqual(await left(), []);
      assert.equal(await signIn(`late ${root}`, `waits ${root}`), undefined);
    }
  });

  it('a code that is used in the same moment as the sign-out at the provider leaves nobody signed in', async () => {
    const { keyId } = await known(arrival('moment', ['operators']));
    const session = { keyId, formerHash: null, nowMs: NOW_MS };
    const other = await engine.open();
    for (let round = 0; round < 10; round++) {
      const [hash, codeHash, sid] = [`m root ${round}`, `m code ${round}`, `m sid ${round}`];
      const provider = { providerSid: sid, endsAtMs: NOW_MS + HOUR_MS };
      await app.session.create({ ...session, hash, codeHash: null, provider });
      const code = { hash: codeHash, keyId, sessionHash: hash, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 };
      await app.session.createCode(code);
      await Promise.all([
        other.session.create({ ...session, hash: `m used ${round}`, codeHash }),
        app.signOn.logout(
          { issuer: ISSUER, subject: null, sid },
          { hash: `m ${round}`, expiresAtMs: NOW_MS + HOUR_MS },
        ),
      ]);
      assert.deepEqual(await app.session.list(keyId, NOW_MS), []);
    }
  });

  it('an identity that is unlinked lets nobody in any more, ends what it gave, and is free for others', async () => {
    const { keyId } = await known(arrival('nine', ['operators']));
    const local = { role: 'viewer' as const, scopes: ['read' as const], facilities: null, deviceIds: null };
    await app.people.change(keyId, { grants: [local] });
    const session = { keyId, codeHash: null, formerHash: null, nowMs: NOW_MS };
    const provider = { providerSid: '', endsAtMs: NOW_MS + HOUR_MS };
    await app.session.create({ ...session, hash: 'n provider', provider });
    await app.session.create({ ...session, hash: 'n local' });
    assert.equal((await app.people.unlink(keyId)).hasIdentity, false);
    assert.deepEqual(await rolesOf(keyId), ['viewer local']);
    const left = async () => (await app.session.list(keyId, NOW_MS)).map(({ hash }) => hash);
    assert.deepEqual(await left(), ['n local']);
    // A person whom the provider sent just before gets no session afterwards.
    assert.equal(await app.session.create({ ...session, hash: 'n late', provider }), undefined);
    assert.deepEqual(await left(), ['n local']);
    assert.equal((await app.people.unlink(keyId)).hasIdentity, false, 'a repetition changes nothing');
    const other = await known(arrival('nine', ['operators']));
    assert.notEqual(other.keyId, keyId);
    await app.people.unlink(other.keyId);
    const code = { hash: 'nine', keyId, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + DAY_MS };
    await app.people.renew(keyId, code);
    const link = { keyId, codeHash: 'nine', sessionHash: null };
    assert.equal((await known(arrival('nine', [], { link }))).keyId, keyId);
  });

  it('sign-ins that race with unlinking leave nobody signed in by the identity', async () => {
    for (let round = 0; round < 10; round++) {
      const subject = `racing ${round}`;
      const { keyId } = await known(arrival(subject, ['operators']));
      const endsAtMs = NOW_MS + HOUR_MS;
      const signIn = async (at: number): Promise<void> => {
        const key = await known(arrival(subject, ['operators']));
        const provider = { providerSid: '', endsAtMs };
        const hash = `${subject} ${at}`;
        await app.session.create({
          keyId: key.keyId,
          hash,
          codeHash: null,
          formerHash: null,
          nowMs: NOW_MS,
          provider,
        });
      };
      await Promise.all([signIn(1), signIn(2), app.people.unlink(keyId), signIn(3)]);
      assert.deepEqual(await app.session.list(keyId, NOW_MS), []);
      assert.deepEqual(await rolesOf(keyId), []);
    }
  });

  it('keeps the last thousand', async () => {
    for (let at = 0; at < 20; at++) {
      await app.signOn.noteInvalid({ issuer: ISSUER, reason: `r${at}`, address: '', nowMs: NOW_MS });
    }
    const first = await app.signOn.signIns(null, 5);
    assert.deepEqual(
      first.map(({ reason }) => reason),
      ['r19', 'r18', 'r17', 'r16', 'r15'],
    );
    const [next] = await app.signOn.signIns(first.at(-1)?.signInNo ?? 0, 1);
    assert.equal(next?.reason, 'r14');
  });
});
