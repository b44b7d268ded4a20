import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { NEVER_SEEN } from '@granary/core/devices/status';
import { UNLIMITED } from '@granary/core/keys';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  isRefusal,
  NOW_MS,
  newDevice,
  newFieldDevice,
  registerDevice,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import type { DeviceFilter } from '../device-rows.ts';
import { REJECTIONS_KEPT_MAX } from '../presence-rows.ts';

describeEachEngine('devices', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  it('finds a registered device as it was registered', async () => {
    const { configuration, ...fields } = newDevice();
    const registered = await app.devices.register({ ...fields, configuration });
    assert.deepEqual(registered, {
      ...fields,
      deviceNo: registered.deviceNo,
      version: 1,
      removedAtMs: null,
      presence: { ...NEVER_SEEN, lastSeenAtMs: null, linkDownAtMs: null, reportedState: null },
    });
    assert.deepEqual(await app.devices.find(fields.deviceId), registered);
    assert.deepEqual(await app.configuration.get(registered.deviceNo), { configuration, version: 1 });
  });

  it('finds nothing under an unknown id', async () => {
    assert.equal(await app.devices.find('unknown'), undefined);
  });

  it('refuses an id that is taken and changes nothing', async () => {
    const device = newDevice();
    const registered = await app.devices.register(device);
    await assert.rejects(
      app.devices.register({ ...device, name: 'Another name' }),
      isRefusal('device_exists'),
    );
    assert.deepEqual(await app.devices.find(device.deviceId), registered);
  });

  it('registers one of many devices with the same id at once', async () => {
    const attempts = Array.from({ length: 8 }, () =>
      app.devices.register(newDevice({ deviceId: 'requested-at-once' })),
    );
    const outcomes = await Promise.allSettled(attempts);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('stores a field device without a capacity and with the configuration of a field device', async () => {
    const fields = newFieldDevice();
    const { deviceNo, capacityKg } = await app.devices.register(fields);
    assert.equal(capacityKg, null);
    assert.deepEqual((await app.configuration.get(deviceNo))?.configuration, fields.configuration);
  });

  it('lists by group, facility and id, page by page, in the order of the bytes of the id', async () => {
    for (const [deviceId, facility] of [
      ['list_b', 'East'],
      ['list_B', 'East'],
      ['list-a', 'West'],
      ['list_a', 'O\'Neill "West"'],
    ] as const) {
      await registerDevice(app, { deviceId, facility, profile: 'rover' });
    }
    const all = ['list-a', 'list_B', 'list_a', 'list_b'];
    const list = async (filter: Partial<DeviceFilter>): Promise<string[]> => {
      const everything = { limits: UNLIMITED, afterDeviceId: null, limit: 100 };
      const page = await app.devices.list({ group: 'field', ...everything, ...filter });
      return page.map(({ deviceId }) => deviceId).filter((deviceId) => deviceId.startsWith('list'));
    };
    assert.deepEqual(await list({}), all);
    assert.deepEqual(await list({ group: 'silo' }), []);
    assert.deepEqual(await list({ afterDeviceId: 'list-a', limit: 2 }), ['list_B', 'list_a']);
    const within = (facilities: string[] | null, deviceIds: string[] | null = null) => ({
      facilities,
      deviceIds,
    });
    const west = within(['West', 'O\'Neill "West"']);
    const oneOfEast = within(['East'], ['list_b', 'list-a']);
    assert.deepEqual(await list({ limits: [west] }), ['list-a', 'list_a']);
    assert.deepEqual(await list({ limits: [oneOfEast] }), ['list_b']);
    assert.deepEqual(await list({ limits: [west, oneOfEast] }), ['list-a', 'list_a', 'list_b']);
    assert.deepEqual(await list({ limits: [within([]), within(null, ['list_B'])] }), ['list_B']);
    assert.deepEqual(await list({ limits: [within([])] }), []);
    assert.deepEqual(await list({ limits: [] }), []);
  });

  it('replaces a secret', async () => {
    const { deviceNo, deviceId } = await app.devices.register(newDevice());
    await app.devices.replaceSecret(deviceNo, 'another hash', NOW_MS);
    assert.equal((await app.devices.find(deviceId))?.secretHash, 'another hash');
  });

  it('stores when a device was last seen, when its link went down, and the state that it reported', async () => {
    const { deviceNo, deviceId } = await app.devices.register(newDevice());
    const presence = async () => (await app.devices.find(deviceId))?.presence;
    const seenAt = (...times: number[]) =>
      app.telemetry.append(batchOf({ seen: times.map((atMs) => ({ deviceNo, atMs })) }));
    await seenAt(20, 30, 10);
    assert.deepEqual(await presence(), {
      ...NEVER_SEEN,
      lastSeenAtMs: 30,
      linkDownAtMs: null,
      reportedState: null,
    });
    await seenAt(25);
    await app.devices.recordLinkDown(deviceNo, 40);
    await app.devices.recordLinkDown(deviceNo, 35);
    assert.deepEqual(await presence(), {
      ...NEVER_SEEN,
      lastSeenAtMs: 30,
      linkDownAtMs: 40,
      reportedState: null,
    });
    await app.devices.recordState(deviceNo, 'maintenance', 50);
    await app.devices.recordState(deviceNo, 'online', 45);
    assert.deepEqual(await presence(), {
      ...NEVER_SEEN,
      lastSeenAtMs: 50,
      linkDownAtMs: 40,
      reportedState: 'online',
    });
  });

  it('shows the newest rejections and counts all of them', async () => {
    const deviceNo = await registerDevice(app);
    const other = await registerDevice(app);
    const message = (n: number) => ({
      deviceNo,
      receivedAtMs: NOW_MS + n,
      topic: 'granary/v1/x/telemetry',
      reason: 'not JSON',
      payload: `\0${n}`,
    });
    const total = 2 * REJECTIONS_KEPT_MAX + 5;
    const messages = Array.from({ length: total }, (_, n) => message(n));
    await app.telemetry.append(batchOf({ rejections: messages.slice(0, 7) }));
    await app.telemetry.append(
      batchOf({ rejections: [...messages.slice(7), { ...message(0), deviceNo: other }] }),
    );
    const rejections = await app.devices.rejections(deviceNo);
    assert.equal(rejections.total, total);
    assert.equal(rejections.recent.length, REJECTIONS_KEPT_MAX);
    const { deviceNo: _, ...newest } = message(total - 1);
    assert.deepEqual(rejections.recent[0], { ...newest, payload: `\uFFFD${total - 1}` });
    assert.equal((await app.devices.rejections(other)).total, 1);
  });
});
