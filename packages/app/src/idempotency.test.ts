import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Reading } from '@granary/core/telemetry/readings';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  isRefusal,
  NOW_MS,
  newDevice,
  reading,
  readySilo,
  registerDevice,
} from '@granary/testing/app/fixtures';
import { effectsDuring } from '@granary/testing/app/recorded-effects';
import type { App } from './app.ts';
import { type IdempotencyKey, REMEMBERED_MS } from './idempotency.ts';
import { READINGS_PER_APPEND_MAX } from './telemetry/telemetry.ts';

const keyOf = (key: string, fields: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  keyId: 'key_1',
  key,
  fingerprint: 'the request',
  nowMs: NOW_MS,
  encryptedSecret: null,
  ...fields,
});

describeEachEngine('writes with an idempotency key', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  it('are done once, and answered with the same result when repeated', async () => {
    const device = newDevice();
    const first = await app.once(keyOf('once', { encryptedSecret: 'a secret' })).devices.register(device);
    assert.deepEqual([first.encryptedSecret, first.replayed], ['a secret', false]);
    const again = await other.once(keyOf('once', { encryptedSecret: 'another' })).devices.register(device);
    assert.deepEqual(again, {
      result: first.result,
      encryptedSecret: 'a secret',
      replayed: true,
      isAllSent: false,
    });
  });

  it('have effects once: a repetition has none', async () => {
    const device = newDevice();
    const register = () => app.once(keyOf('effects')).devices.register(device);
    const first = await effectsDuring(app, register);
    assert.deepEqual(first.effects, [{ kind: 'events_logged' }]);
    const again = await effectsDuring(app, register);
    assert.deepEqual([again.result.replayed, again.effects], [true, []]);
  });

  it('are done once when many come at the same time', async () => {
    const deviceNo = await readySilo(app);
    const start = (n: number) =>
      (n % 2 ? app : other).once(keyOf('parallel')).operations.start({
        deviceNo,
        operationId: `op_parallel_${n}`,
        type: 'feed',
        request: { amount: 1 },
        isReachable: true,
        nowMs: NOW_MS,
      });
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => start(n)));
    assert.equal(outcomes.filter(({ replayed }) => !replayed).length, 1);
    assert.equal(new Set(outcomes.map(({ result }) => result.operation.operationId)).size, 1);
    const page = { deviceNo, status: null, type: null, beforeOperationId: null, limit: 100 };
    assert.equal((await app.operations.list(page)).length, 1);
  });

  it('are refused with the key of another request, but not with that of another caller', async () => {
    await app.once(keyOf('name')).devices.register(newDevice());
    const changed = keyOf('name', { fingerprint: 'another request' });
    const device = newDevice();
    await assert.rejects(app.once(changed).devices.register(device), isRefusal('idempotency_key_reused'));
    assert.equal(await app.devices.find(device.deviceId), undefined);
    const ofOtherCaller = keyOf('name', { keyId: 'key_2' });
    assert.equal((await app.once(ofOtherCaller).devices.register(newDevice())).replayed, false);
  });

  it('are not stored under their key when they are refused or find nothing', async () => {
    const deviceNo = await registerDevice(app);
    const start = (nowMs: number) =>
      app.once(keyOf('refused')).operations.start({
        deviceNo,
        operationId: 'op_refused',
        type: 'feed',
        request: { amount: 1 },
        isReachable: true,
        nowMs,
      });
    await assert.rejects(start(NOW_MS), isRefusal('device_offline'));
    await app.telemetry.append(
      batchOf({
        readings: [reading(deviceNo, NOW_MS, { weight: 1_000 })],
        seen: [{ deviceNo, atMs: NOW_MS }],
      }),
    );
    const stop = () =>
      app.once(keyOf('stop')).operations.stop({ deviceNo, operationId: 'op_refused', nowMs: NOW_MS });
    const nothing = { result: undefined, encryptedSecret: null, replayed: false, isAllSent: true };
    assert.deepEqual(await stop(), nothing);
    assert.equal((await start(NOW_MS)).replayed, false);
    assert.equal((await stop()).result?.operation.status, 'stopping');
  });

  it('are done again after the key has expired', async () => {
    await app.once(keyOf('old')).devices.register(newDevice());
    const justBefore = keyOf('old', { nowMs: NOW_MS + REMEMBERED_MS - 1 });
    assert.equal((await app.once(justBefore).devices.register(newDevice())).replayed, true);
    const later = keyOf('old', { nowMs: NOW_MS + REMEMBERED_MS, fingerprint: 'another request' });
    assert.equal((await app.once(later).devices.register(newDevice())).replayed, false);
    assert.equal((await app.once(later).devices.register(newDevice())).replayed, true);
  });

  it('store readings of a day that has no partition yet', async () => {
    const deviceNo = await registerDevice(app);
    const oldMs = NOW_MS - 400 * 86_400_000;
    const append = (count: number) => {
      const readings = Array<Reading>(count).fill(reading(deviceNo, oldMs, { weight: 1 }));
      return app.once(keyOf('readings')).telemetry.append(batchOf({ readings }));
    };
    await assert.rejects(append(READINGS_PER_APPEND_MAX + 1), /readings/);
    assert.equal((await append(1)).result.stored, 1);
    assert.equal((await append(1)).replayed, true);
  });

  it('have the same form of result without a key', async () => {
    const device = newDevice();
    const { result, ...rest } = await app.once(null).devices.register(device);
    assert.equal(result.deviceId, device.deviceId);
    assert.deepEqual(rest, { encryptedSecret: null, replayed: false, isAllSent: true });
    await assert.rejects(app.once(null).devices.register(device), isRefusal('device_exists'));
  });

  it('expire a few rows at a time', async () => {
    for (const key of ['x', 'y', 'z']) {
      await app.once(keyOf(key, { nowMs: NOW_MS - 10 })).devices.register(newDevice());
    }
    const expire = () => app.idempotency.expire({ beforeMs: NOW_MS, rowsMax: 2 });
    assert.deepEqual([await expire(), await expire(), await expire()], [2, 1, 0]);
    assert.equal((await app.once(keyOf('x')).devices.register(newDevice())).replayed, false);
  });
});
