import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS } from '@granary/contract/time';
import { ADA, testAttempt } from '@granary/testing/app/attempts';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  eventsOfDevice,
  isRefusal,
  NOW_MS,
  newDevice,
  readySilo,
  registerDevice,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import type { AuditFilter } from './audit-rows.ts';

const ALL: AuditFilter = {
  limits: [{ facilities: null, deviceIds: null }],
  deviceId: null,
  facility: null,
  keyId: null,
  actor: null,
  action: null,
  result: null,
  fromMs: null,
  toMs: null,
};

describeEachEngine('the audit log', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });
  const entries = (filter: Partial<AuditFilter>, limit = 100) =>
    app.audit.list({ ...ALL, ...filter }, null, limit);

  it('has one entry for a change, which stays one when the write is repeated', async () => {
    const deviceNo = await readySilo(app);
    const operationId = 'op_audited';
    const start = { deviceNo, operationId, type: 'feed', request: { amount: 1 }, isReachable: true } as const;
    await app.operations.start({ ...start, nowMs: NOW_MS });
    const attempt = testAttempt({ action: 'a.stop', resourceId: operationId });
    const stop = { deviceNo, operationId, nowMs: NOW_MS };
    await app.urgent.audited(attempt).operations.stop(stop);
    await other.audited(attempt).operations.stop(stop);
    const [entry, ...more] = await entries({ action: 'a.stop' });
    assert.deepEqual(more, []);
    const { auditNo: _no, ...shown } = entry ?? {};
    assert.deepEqual(shown, { ...attempt, result: 'done', code: null, count: 1 });
  });

  it('names the actor on the events of the change, and nobody on others', async () => {
    const { deviceNo } = await app.audited(testAttempt()).devices.register(newDevice());
    await app.devices.replaceSecret(deviceNo, 'hash', NOW_MS);
    assert.deepEqual(
      (await eventsOfDevice(app, deviceNo)).map(({ type, actor }) => [type, actor]),
      [
        ['device.registered', ADA],
        ['device.credentials_replaced', null],
      ],
    );
  });

  it('has no entry for a write that is refused, finds nothing or is answered a second time', async () => {
    const action = 'a.nothing';
    const device = newDevice();
    await app.devices.register(device);
    const deviceNo = await registerDevice(app);
    const audited = () => app.audited(testAttempt({ action }));
    await assert.rejects(audited().devices.register(device), isRefusal('device_exists'));
    const stop = { deviceNo, operationId: 'op_none', nowMs: NOW_MS };
    assert.equal(await audited().operations.stop(stop), undefined);
    const key = { keyId: 'key_1', key: 'audit', fingerprint: '', nowMs: NOW_MS, encryptedSecret: null };
    const fresh = newDevice();
    for (const replayed of [false, true]) {
      const once = app.once(key, testAttempt({ action: 'a.once' }));
      assert.equal((await once.devices.register(fresh)).replayed, replayed);
    }
    assert.deepEqual(await entries({ action }), []);
    assert.equal((await entries({ action: 'a.once' })).length, 1);
  });

  it('counts identical refusals in one entry', async () => {
    const attempt = testAttempt({ action: 'a.refused' });
    await app.audit.refused([{ attempt, code: 'device_offline', count: 2 }]);
    await other.audit.refused([{ attempt, code: 'device_offline', count: 3 }]);
    const found = await entries({ action: 'a.refused', result: 'refused' });
    assert.deepEqual(
      found.map(({ result, code, count }) => [result, code, count]),
      [['refused', 'device_offline', 5]],
    );
  });

  it('is listed by device, facility, key, actor, result and time, newest first and in pages', async () => {
    const device = newDevice({ facility: 'west' });
    await app.devices.register(device);
    const { deviceId } = device;
    const actor = { key_id: 'key_2', key_name: 'office', actor: 'Grace' };
    for (let n = 0; n < 5; n++) {
      const attempt = testAttempt({ atMs: NOW_MS + n, deviceId, actor, action: 'a.listed' });
      await app.audit.refused([{ attempt, code: 'device_offline', count: 1 }]);
    }
    const timesOf = async (filter: Partial<AuditFilter>) =>
      (await entries({ action: 'a.listed', ...filter })).map(({ atMs }) => atMs - NOW_MS);
    for (const filter of [
      { deviceId },
      { facility: 'west' },
      { keyId: 'key_2' },
      { actor: 'Grace' },
      { result: 'refused' } as const,
      { limits: [{ facilities: ['west'], deviceIds: [deviceId] }] },
    ]) {
      assert.deepEqual(await timesOf(filter), [4, 3, 2, 1, 0], JSON.stringify(filter));
    }
    for (const filter of [
      { deviceId: 'other' },
      { facility: 'east' },
      { keyId: 'key_1' },
      { actor: 'Ada' },
      { result: 'done' } as const,
      { limits: [{ facilities: ['east'], deviceIds: null }] },
    ]) {
      assert.deepEqual(await timesOf(filter), [], JSON.stringify(filter));
    }
    assert.deepEqual(await timesOf({ fromMs: NOW_MS + 1, toMs: NOW_MS + 3 }), [2, 1]);
    const [first, second] = await entries({ action: 'a.listed' }, 2);
    assert.equal(first?.facility, 'west', 'the facility of the device is kept with the entry');
    const rest = await app.audit.list({ ...ALL, action: 'a.listed' }, second ?? null, 100);
    assert.deepEqual(
      rest.map(({ atMs }) => atMs - NOW_MS),
      [2, 1, 0],
    );
  });

  it('keeps an entry for the time that is set', async () => {
    for (const atMs of [NOW_MS - 3 * DAY_MS, NOW_MS - 2 * DAY_MS, NOW_MS]) {
      const attempt = testAttempt({ atMs, action: 'a.old' });
      await app.audit.refused([{ attempt, code: 'device_offline', count: 1 }]);
    }
    const expiry = { beforeMs: NOW_MS - DAY_MS, rowsMax: 1 };
    assert.deepEqual(
      [await app.audit.expire(expiry), await app.audit.expire(expiry), await app.audit.expire(expiry)],
      [1, 1, 0],
    );
    assert.equal((await entries({ action: 'a.old' })).length, 1);
  });
});
