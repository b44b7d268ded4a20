import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { KnownDevice, StoredDevice } from '@granary/app/device-rows';
import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import { NEVER_SEEN } from '@granary/core/devices/status';
import { storageUnavailable } from '@granary/store/errors';
import { eventually } from '@granary/testing/server/eventually';
import { hashSecret } from '../process/keys/secrets.ts';
import { createLogger } from '../process/logging/logger.ts';
import { DeviceDirectory, SECRET_LAST_KNOWN_MS_MAX } from './device-directory.ts';
import { UrgentDeadline } from './sending/urgent-deadline.ts';

type Find = (deviceId: string) => Promise<StoredDevice | undefined>;

const device = (secret: string): StoredDevice => ({
  version: 1,
  removedAtMs: null,
  deviceNo: 7,
  deviceId: 'silo',
  profile: 'silo_scale',
  name: 'Silo',
  model: 'GS',
  firmwareVersion: '1',
  facility: 'north',
  zone: 'a',
  capacityKg: 1_000,
  secretHash: hashSecret(secret),
  sensorDocument: null,
  labels: {},
  registeredAtMs: 0,
  presence: NEVER_SEEN,
});

const LINK_DEVICE = { deviceNo: 7, deviceId: 'silo', profile: 'silo_scale', capacityKg: 1_000 };
const fails: Find = () => Promise.reject(storageUnavailable('down'));
const hangs: Find = () => new Promise(() => undefined);

describe('the device directory', () => {
  let nowMs = 0;
  let find: Find;
  let stored: KnownDevice[];
  let directory: DeviceDirectory;
  beforeEach(() => {
    nowMs = 1_000_000;
    find = async (deviceId) => (deviceId === 'silo' ? device('right') : undefined);
    stored = [];
    const devices = {
      find: (deviceId: string) => find(deviceId),
      known: async (afterDeviceNo: number, limit: number) =>
        stored.filter(({ deviceNo }) => deviceNo > afterDeviceNo).slice(0, limit),
      knownById: async (deviceIds: readonly string[]) =>
        stored.filter(({ deviceId }) => deviceIds.includes(deviceId)),
    };
    const app = { devices, urgent: { devices } };
    const logger = createLogger('silent', false);
    directory = new DeviceDirectory({ app, logger, now: () => nowMs });
  });

  it('authenticates devices by their stored secret', async () => {
    assert.deepEqual(await directory.authenticate('silo', 'right'), LINK_DEVICE);
    assert.equal(await directory.authenticate('silo', 'wrong'), null);
    assert.equal(await directory.authenticate('other', 'right'), null);
  });

  for (const [what, broken] of [
    ['fails', fails],
    ['does not answer', hangs],
  ] as const) {
    it(`authenticates a device by its last known secret while the storage ${what}`, async () => {
      await directory.find('silo');
      find = broken;
      assert.deepEqual(await directory.authenticate('silo', 'right'), LINK_DEVICE);
    });

    it(`finds the last known device for a stop while the storage ${what}, and no other device`, async () => {
      await directory.find('silo');
      find = broken;
      const found = await directory.findUrgently('silo', new UrgentDeadline());
      assert.deepEqual([found?.deviceNo, found?.facility], [7, 'north']);
      await assert.rejects(
        directory.findUrgently('other', new UrgentDeadline()),
        (error) => error instanceof Refusal && error.code === 'storage_unavailable',
      );
    });
  }

  it('refuses while the storage fails: another secret, a replaced one, an unknown device, after a day', async () => {
    await directory.find('silo');
    find = fails;
    const isUnavailable = (deviceId: string, secret: string) =>
      assert.rejects(directory.authenticate(deviceId, secret), Refusal);
    await isUnavailable('silo', 'wrong');
    await isUnavailable('other', 'right');
    nowMs += SECRET_LAST_KNOWN_MS_MAX;
    await isUnavailable('silo', 'right');
    nowMs -= SECRET_LAST_KNOWN_MS_MAX;
    directory.observe([
      {
        sequence: 1,
        type: 'device.credentials_replaced',
        deviceId: 'silo',
        facility: 'north',
        atMs: nowMs,
        actor: null,
        data: {},
      },
    ]);
    await isUnavailable('silo', 'right');
    assert.equal((await directory.findUrgently('silo', new UrgentDeadline()))?.deviceNo, 7);
  });

  it('knows every device before it is asked for one, and what the event log says about them since', async (t) => {
    const all = Array.from({ length: 1_201 }, (_, index) => ({
      ...device('right'),
      deviceNo: index + 1,
      deviceId: `silo-${index + 1}`,
    }));
    stored = [...all];
    await directory.start();
    t.after(() => directory.stop());
    find = fails;
    const foundNo = async (deviceId: string) =>
      await directory.findUrgently(deviceId, new UrgentDeadline()).then(
        (found) => found?.deviceNo ?? null,
        () => null,
      );
    const event = (type: EventType, deviceId: string) => ({
      sequence: 1,
      type,
      deviceId,
      facility: 'north',
      atMs: nowMs,
      actor: null,
      data: {},
    });
    assert.deepEqual(
      [directory.size, await foundNo('silo-1'), await foundNo('silo-1201')],
      [1_201, 1, 1_201],
    );
    assert.equal((await directory.authenticate('silo-700', 'right'))?.deviceNo, 700);

    stored = [
      { ...device('new'), deviceNo: 2_000, deviceId: 'silo-5' },
      { ...device('new'), deviceNo: 2_001 },
    ];
    directory.observe([event('device.purged', 'silo-5'), event('device.registered', 'silo')]);
    await eventually(() => foundNo('silo-5'), 2_000);
    await eventually(() => foundNo('silo'), 2_001);
    assert.equal((await directory.authenticate('silo', 'new'))?.deviceNo, 2_001);
    directory.observe([event('device.credentials_replaced', 'silo-6')]);
    await eventually(() => foundNo('silo-6'), null);
    assert.equal(await foundNo('silo-7'), 7);
  });

  it('does not keep a secret from a look-up that began before it was replaced', async () => {
    const lookUp = Promise.withResolvers<StoredDevice>();
    find = () => lookUp.promise;
    const found = directory.find('silo');
    directory.dropSecret('silo');
    lookUp.resolve(device('old'));
    await found;
    find = fails;
    await assert.rejects(directory.authenticate('silo', 'old'), Refusal);
  });
});
