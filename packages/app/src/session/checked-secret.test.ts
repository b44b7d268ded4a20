import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { grantOf } from '@granary/core/keys';
import { describeEachEngine } from '@granary/testing/app/engines';
import { NOW_MS } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const PLACE = { deviceId: 'silo-7', facility: 'North' };

describeEachEngine('a PIN or password that was compared', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const invite = async (keyId: string): Promise<void> => {
    const code = { hash: `i_${keyId}`, keyId, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + DAY_MS };
    const person = { keyId, login: keyId, name: keyId, email: null, createdAtMs: NOW_MS };
    await app.people.invite({ ...person, grants: [grantOf(['operate'])] }, code);
    await app.session.create({ keyId, hash: `s_${keyId}`, nowMs: NOW_MS, codeHash: null, formerHash: null });
    await app.terminals.setPin({ personId: keyId, sessionHash: `s_${keyId}` }, 'pin');
  };
  const atTerminal = (personId: string, kind: 'pin' | 'password', stored: string | null) =>
    app.terminals.setPerson(
      's_terminal',
      { personId, untilMs: NOW_MS },
      { kind, stored, factor: null },
      NOW_MS,
    );
  const confirmation = (personId: string) => ({
    hash: `c_${personId}`,
    keyId: personId,
    digest: 'd',
    confirmedBy: { key_id: personId, name: personId },
    expiresAtMs: NOW_MS + MINUTE_MS,
  });

  it('lets nobody in, and confirms nothing, when it is another one by now', async () => {
    await invite('per_changed');
    await atTerminal('per_changed', 'pin', 'pin');
    await atTerminal('per_changed', 'password', null);
    await assert.rejects(atTerminal('per_changed', 'pin', 'former'), { code: 'wrong_pin' });
    await assert.rejects(atTerminal('per_changed', 'password', 'former'), { code: 'wrong_password' });
    const former = { kind: 'pin', stored: 'former', factor: null } as const;
    await assert.rejects(app.confirmations.create(confirmation('per_changed'), PLACE, former, NOW_MS), {
      code: 'wrong_pin',
    });
    assert.equal(await app.confirmations.find('c_per_changed'), undefined);
    await app.confirmations.create(
      confirmation('per_changed'),
      PLACE,
      { kind: 'pin', stored: 'pin', factor: null },
      NOW_MS,
    );
    assert.notEqual(await app.confirmations.find('c_per_changed'), undefined);
  });

  it('signs no browser in when it is another password by now', async () => {
    await invite('per_signed');
    const signIn = (hash: string, checkedPassword: string | null) =>
      app.session.create({
        keyId: 'per_signed',
        hash,
        nowMs: NOW_MS,
        codeHash: null,
        formerHash: null,
        checkedPassword,
      });
    assert.equal(await signIn('s_former', 'former'), undefined);
    assert.notEqual(await signIn('s_present', null), undefined);
  });

  it('lets nobody in who was disabled meanwhile', async () => {
    await invite('per_disabled');
    await app.people.disable('per_disabled', NOW_MS);
    await assert.rejects(atTerminal('per_disabled', 'password', null), { code: 'wrong_password' });
  });
});
