import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { MINUTE_MS } from '@granary/contract/time';
import { type Area, grantOf, UNLIMITED } from '@granary/core/keys';
import { writesWith } from '@granary/testing/app/attempts';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  eventsOfDevice,
  isRefusal,
  NOW_MS,
  newId,
  readySilo,
  registerDevice,
  weigh,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

describeEachEngine('changing a device', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const updates = async (deviceNo: number) =>
    (await eventsOfDevice(app, deviceNo)).filter(({ type }) => type === 'device.updated');

  it('is moved to another facility only with rights in both, as they are when it is changed', async () => {
    const deviceNo = await registerDevice(app, { facility: 'North' });
    const { deviceId } = await app.devices.update(deviceNo, {}, NOW_MS);
    const move = async (facility: string, { facilities, deviceIds }: Area) => {
      const { devices } = await writesWith(app, [grantOf(['read', 'admin'], facilities, deviceIds)], 'admin');
      return await devices.update(deviceNo, { location: { facility } }, NOW_MS);
    };
    const ofDevice = { facilities: null, deviceIds: [deviceId] };
    await assert.rejects(move('South', ofDevice), isRefusal('forbidden'));
    await assert.rejects(move('South', { facilities: ['North'], deviceIds: null }), isRefusal('forbidden'));
    await assert.rejects(
      move('South', { facilities: ['South'], deviceIds: null }),
      isRefusal('device_not_found'),
    );
    assert.equal((await move('North', ofDevice)).version, 1);
    const both = { facilities: ['North', 'South'], deviceIds: [deviceId] };
    assert.equal((await move('South', both)).facility, 'South');
  });

  it('changes what is given, counts the version, and logs what has changed', async () => {
    const deviceNo = await registerDevice(app, { name: 'Silo 7' });
    const changed = await app.devices.update(
      deviceNo,
      { name: 'Reserve', location: { zone: 'B' } },
      NOW_MS,
      1,
    );
    assert.partialDeepStrictEqual(changed, { name: 'Reserve', facility: 'North', zone: 'B', version: 2 });
    assert.deepEqual(await app.devices.find(changed.deviceId), changed);
    const [updated] = await updates(deviceNo);
    assert.partialDeepStrictEqual(updated?.data, { name: 'Reserve', changed: ['name', 'location'] });
  });

  it('leaves version and log as they are when nothing changes', async () => {
    const deviceNo = await registerDevice(app, { name: 'Silo 7' });
    assert.equal((await app.devices.update(deviceNo, { name: 'Silo 7' }, NOW_MS)).version, 1);
    assert.deepEqual(await updates(deviceNo), []);
  });

  it('of two callers with the same version accepts one', async () => {
    const deviceNo = await registerDevice(app);
    const outcomes = await Promise.allSettled([
      app.devices.update(deviceNo, { name: 'One' }, NOW_MS, 1),
      other.devices.update(deviceNo, { name: 'Two' }, NOW_MS, 1),
    ]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 1);
    assert.ok(refused[0]?.status === 'rejected' && isRefusal('stale_version')(refused[0].reason));
    assert.equal((await updates(deviceNo)).length, 1);
  });

  it('loses none of many changes without a version', async () => {
    const deviceNo = await registerDevice(app);
    const patches = Array.from({ length: 10 }, (_, i) => (i % 2 ? { name: `${i}` } : { model: `${i}` }));
    await Promise.all(
      patches.map((patch, i) => (i % 3 ? app : other).devices.update(deviceNo, patch, NOW_MS)),
    );
    const [last] = (await updates(deviceNo)).slice(-1);
    assert.equal((await updates(deviceNo)).length, 10);
    const found = (
      await app.devices.list({
        group: 'silo',
        limits: UNLIMITED,
        afterDeviceId: null,
        limit: 1_000,
      })
    ).find((device) => device.deviceNo === deviceNo);
    assert.equal(found?.version, 11);
    assert.partialDeepStrictEqual(last?.data, { name: found?.name, model: found?.model });
  });

  it('evaluates the alerts with a changed capacity', async () => {
    const deviceNo = await readySilo(app);
    await weigh(app, deviceNo, 5_000, NOW_MS);
    const types = async () =>
      (await app.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 })).map(
        ({ type }) => type,
      );
    assert.deepEqual(await types(), []);
    await app.devices.update(deviceNo, { capacity: { max: 5_100, unit: 'kg' } }, NOW_MS);
    assert.ok((await types()).includes('high_level'));
  });

  it('refuses another capacity while an operation is under way, and changes nothing', async () => {
    const deviceNo = await readySilo(app);
    const operationId = newId('op');
    const start = { deviceNo, operationId, type: 'feed', request: { amount: 1 }, isReachable: true } as const;
    await app.operations.start({ ...start, nowMs: NOW_MS });
    const patch = { name: 'Reserve', capacity: { max: 20_000, unit: 'kg' } } as const;
    await assert.rejects(app.devices.update(deviceNo, patch, NOW_MS), isRefusal('operation_in_progress'));
    assert.deepEqual(await updates(deviceNo), []);
    await app.devices.update(deviceNo, { name: 'Reserve' }, NOW_MS);
    await app.operations.progressed({
      deviceNo,
      progress: { operation_id: operationId, state: 'completed', amount_kg: 1, ts: NOW_MS },
      nowMs: NOW_MS + MINUTE_MS,
    });
    assert.equal((await app.devices.update(deviceNo, patch, NOW_MS)).capacityKg, 20_000);
  });
});
