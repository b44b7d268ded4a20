import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Reading } from '@granary/core/telemetry';
import type { Guard } from './idempotency.ts';
import { REMEMBERED_MS } from './idempotency.ts';
import type { Store } from './store.ts';
import { READINGS_PER_APPEND_MAX } from './telemetry.ts';
import { describeEachEngine } from './testing/engines.ts';
import {
  batchOf,
  isRefusal,
  NOW_MS,
  newDevice,
  reading,
  readySilo,
  registerDevice,
} from './testing/fixtures.ts';

const guard = (key: string, fields: Partial<Guard> = {}): Guard => ({
  ...{ keyId: 'key_1', key, fingerprint: 'the request', nowMs: NOW_MS, sealed: null },
  ...fields,
});

describeEachEngine('guarded writes', (engine) => {
  let store: Store;
  let other: Store;
  before(async () => {
    store = await engine.open();
    other = await engine.open();
  });

  it('are done once, and answered alike when repeated', async () => {
    const device = newDevice();
    const first = await store.guarded(guard('once', { sealed: 'a secret' })).devices.register(device);
    assert.deepEqual([first.sealed, first.replayed], ['a secret', false]);
    const again = await other.guarded(guard('once', { sealed: 'another' })).devices.register(device);
    assert.deepEqual(again, { result: first.result, sealed: 'a secret', replayed: true });
  });

  it('are done once when they come at once', async () => {
    const deviceNo = await readySilo(store);
    const start = (n: number) =>
      (n % 2 ? store : other).guarded(guard('parallel')).operations.start({
        ...{ deviceNo, operationId: `op_parallel_${n}`, type: 'feed', request: { amount: 1 } },
        ...{ isReachable: true, nowMs: NOW_MS },
      });
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => start(n)));
    assert.equal(outcomes.filter(({ replayed }) => !replayed).length, 1);
    assert.equal(new Set(outcomes.map(({ result }) => result.operation.operationId)).size, 1);
    const page = { deviceNo, status: null, type: null, beforeOperationId: null, limit: 100 };
    assert.equal((await store.operations.list(page)).length, 1);
  });

  it('refuse another request of the same name, but not that of another caller', async () => {
    await store.guarded(guard('name')).devices.register(newDevice());
    const changed = guard('name', { fingerprint: 'another request' });
    const device = newDevice();
    await assert.rejects(
      store.guarded(changed).devices.register(device),
      isRefusal('idempotency_key_reused'),
    );
    assert.equal(await store.devices.find(device.deviceId), undefined);
    const stranger = guard('name', { keyId: 'key_2' });
    assert.equal((await store.guarded(stranger).devices.register(newDevice())).replayed, false);
  });

  it('remember nothing of what was refused or found nothing', async () => {
    const deviceNo = await registerDevice(store);
    const start = (nowMs: number) =>
      store.guarded(guard('refused')).operations.start({
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
    await store.telemetry.append(
      batchOf({
        readings: [reading(deviceNo, NOW_MS, { weight: 1_000 })],
        seen: [{ deviceNo, atMs: NOW_MS }],
      }),
    );
    const stop = () =>
      store.guarded(guard('stop')).operations.stop({ deviceNo, operationId: 'op_refused', nowMs: NOW_MS });
    assert.deepEqual(await stop(), { result: undefined, sealed: null, replayed: false });
    assert.equal((await start(NOW_MS)).replayed, false);
    assert.equal((await stop()).result?.operation.status, 'stopping');
  });

  it('are new again after their time', async () => {
    await store.guarded(guard('old')).devices.register(newDevice());
    const justBefore = guard('old', { nowMs: NOW_MS + REMEMBERED_MS - 1 });
    assert.equal((await store.guarded(justBefore).devices.register(newDevice())).replayed, true);
    const later = guard('old', { nowMs: NOW_MS + REMEMBERED_MS, fingerprint: 'another request' });
    assert.equal((await store.guarded(later).devices.register(newDevice())).replayed, false);
    assert.equal((await store.guarded(later).devices.register(newDevice())).replayed, true);
  });

  it('take readings of a day that has no place yet', async () => {
    const deviceNo = await registerDevice(store);
    const oldMs = NOW_MS - 400 * 86_400_000;
    const append = (count: number) => {
      const readings = Array<Reading>(count).fill(reading(deviceNo, oldMs, { weight: 1 }));
      return store.guarded(guard('readings')).telemetry.append(batchOf({ readings }));
    };
    await assert.rejects(append(READINGS_PER_APPEND_MAX + 1), /readings/);
    assert.equal((await append(1)).result.stored, 1);
    assert.equal((await append(1)).replayed, true);
  });

  it('have the same shape without a guard', async () => {
    const device = newDevice();
    const { result, ...rest } = await store.guarded(null).devices.register(device);
    assert.equal(result.deviceId, device.deviceId);
    assert.deepEqual(rest, { sealed: null, replayed: false });
    await assert.rejects(store.guarded(null).devices.register(device), isRefusal('device_exists'));
  });

  it('are forgotten bit by bit', async () => {
    for (const key of ['x', 'y', 'z']) {
      await store.guarded(guard(key, { nowMs: NOW_MS - 10 })).devices.register(newDevice());
    }
    const expire = () => store.idempotency.expire({ beforeMs: NOW_MS, rowsMax: 2 });
    assert.deepEqual([await expire(), await expire(), await expire()], [2, 1, 0]);
    assert.equal((await store.guarded(guard('x')).devices.register(newDevice())).replayed, false);
  });
});
