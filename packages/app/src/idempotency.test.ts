import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Reading } from '@granary/core/telemetry/readings';
import type { App } from './app.ts';
import type { IdempotencyKey } from './idempotency.ts';
import { REMEMBERED_MS } from './idempotency.ts';
import { READINGS_PER_APPEND_MAX } from './telemetry/telemetry.ts';
import { describeEachEngine } from './testing/engines.ts';
import {
  batchOf,
  isRefusal,
  NOW_MS,
  newDevice,
  newFieldDevice,
  reading,
  readySilo,
  registerDevice,
} from './testing/fixtures.ts';
import { effectsDuring } from './testing/recorded-effects.ts';

const guard = (key: string, fields: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  ...{ keyId: 'key_1', key, fingerprint: 'the request', nowMs: NOW_MS, encryptedSecret: null },
  ...fields,
});

describeEachEngine('guarded writes', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  it('are done once, and answered alike when repeated', async () => {
    const device = newDevice();
    const first = await app.once(guard('once', { encryptedSecret: 'a secret' })).devices.register(device);
    assert.deepEqual([first.encryptedSecret, first.replayed], ['a secret', false]);
    const again = await other.once(guard('once', { encryptedSecret: 'another' })).devices.register(device);
    assert.deepEqual(again, { result: first.result, encryptedSecret: 'a secret', replayed: true });
  });

  it('are answered from what an older version stored, whatever their result was', async () => {
    const { deviceNo } = (await app.once(guard('old')).devices.register(newDevice())).result;
    const replace = () => app.once(guard('old secret')).devices.replaceSecret(deviceNo, 'hash', NOW_MS);
    const first = await replace();
    for (const stored of ['true', '{"v":0,"result":true}']) {
      await engine.query(`UPDATE idempotency SET result = '${stored}' WHERE idempotency_key = 'old secret'`);
      assert.deepEqual(await replace(), { ...first, result: true, replayed: true });
    }
  });

  it('are answered from a registration that an older version stored without profile and sensors', async () => {
    for (const [key, kind, device] of [
      ['old silo', 'silo', newDevice()],
      ['old rover', 'field', newFieldDevice()],
    ] as const) {
      const register = () => app.once(guard(key)).devices.register(device);
      const first = await register();
      const { sensorDocument: _sensors, profile, ...before } = first.result;
      for (const stored of [
        JSON.stringify({ kind, ...before }),
        JSON.stringify({ v: 0, result: { profile, ...before } }),
      ]) {
        await engine.query(`UPDATE idempotency SET result = '${stored}' WHERE idempotency_key = '${key}'`);
        assert.deepEqual(await register(), { ...first, replayed: true });
      }
    }
  });

  it('have their effects once: a repetition has none', async () => {
    const device = newDevice();
    const register = () => app.once(guard('effects')).devices.register(device);
    const first = await effectsDuring(app, register);
    assert.deepEqual(first.effects, [{ kind: 'events_logged' }]);
    const again = await effectsDuring(app, register);
    assert.deepEqual([again.result.replayed, again.effects], [true, []]);
  });

  it('are done once when they come at once', async () => {
    const deviceNo = await readySilo(app);
    const start = (n: number) =>
      (n % 2 ? app : other).once(guard('parallel')).operations.start({
        ...{ deviceNo, operationId: `op_parallel_${n}`, type: 'feed', request: { amount: 1 } },
        ...{ isReachable: true, nowMs: NOW_MS },
      });
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => start(n)));
    assert.equal(outcomes.filter(({ replayed }) => !replayed).length, 1);
    assert.equal(new Set(outcomes.map(({ result }) => result.operation.operationId)).size, 1);
    const page = { deviceNo, status: null, type: null, beforeOperationId: null, limit: 100 };
    assert.equal((await app.operations.list(page)).length, 1);
  });

  it('refuse another request of the same name, but not that of another caller', async () => {
    await app.once(guard('name')).devices.register(newDevice());
    const changed = guard('name', { fingerprint: 'another request' });
    const device = newDevice();
    await assert.rejects(app.once(changed).devices.register(device), isRefusal('idempotency_key_reused'));
    assert.equal(await app.devices.find(device.deviceId), undefined);
    const stranger = guard('name', { keyId: 'key_2' });
    assert.equal((await app.once(stranger).devices.register(newDevice())).replayed, false);
  });

  it('remember nothing of what was refused or found nothing', async () => {
    const deviceNo = await registerDevice(app);
    const start = (nowMs: number) =>
      app.once(guard('refused')).operations.start({
        ...{
          deviceNo,
          operationId: 'op_refused',
          type: 'feed',
          request: { amount: 1 },
          isReachable: true,
          nowMs,
        },
      });
    await assert.rejects(start(NOW_MS), isRefusal('device_offline'));
    await app.telemetry.append(
      batchOf({
        readings: [reading(deviceNo, NOW_MS, { weight: 1_000 })],
        seen: [{ deviceNo, atMs: NOW_MS }],
      }),
    );
    const stop = () =>
      app.once(guard('stop')).operations.stop({ deviceNo, operationId: 'op_refused', nowMs: NOW_MS });
    assert.deepEqual(await stop(), { result: undefined, encryptedSecret: null, replayed: false });
    assert.equal((await start(NOW_MS)).replayed, false);
    assert.equal((await stop()).result?.operation.status, 'stopping');
  });

  it('are new again after their time', async () => {
    await app.once(guard('old')).devices.register(newDevice());
    const justBefore = guard('old', { nowMs: NOW_MS + REMEMBERED_MS - 1 });
    assert.equal((await app.once(justBefore).devices.register(newDevice())).replayed, true);
    const later = guard('old', { nowMs: NOW_MS + REMEMBERED_MS, fingerprint: 'another request' });
    assert.equal((await app.once(later).devices.register(newDevice())).replayed, false);
    assert.equal((await app.once(later).devices.register(newDevice())).replayed, true);
  });

  it('take readings of a day that has no place yet', async () => {
    const deviceNo = await registerDevice(app);
    const oldMs = NOW_MS - 400 * 86_400_000;
    const append = (count: number) => {
      const readings = Array<Reading>(count).fill(reading(deviceNo, oldMs, { weight: 1 }));
      return app.once(guard('readings')).telemetry.append(batchOf({ readings }));
    };
    await assert.rejects(append(READINGS_PER_APPEND_MAX + 1), /readings/);
    assert.equal((await append(1)).result.stored, 1);
    assert.equal((await append(1)).replayed, true);
  });

  it('have the same shape without a guard', async () => {
    const device = newDevice();
    const { result, ...rest } = await app.once(null).devices.register(device);
    assert.equal(result.deviceId, device.deviceId);
    assert.deepEqual(rest, { encryptedSecret: null, replayed: false });
    await assert.rejects(app.once(null).devices.register(device), isRefusal('device_exists'));
  });

  it('are forgotten bit by bit', async () => {
    for (const key of ['x', 'y', 'z']) {
      await app.once(guard(key, { nowMs: NOW_MS - 10 })).devices.register(newDevice());
    }
    const expire = () => app.idempotency.expire({ beforeMs: NOW_MS, rowsMax: 2 });
    assert.deepEqual([await expire(), await expire(), await expire()], [2, 1, 0]);
    assert.equal((await app.once(guard('x')).devices.register(newDevice())).replayed, false);
  });
});
