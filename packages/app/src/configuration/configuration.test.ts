import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { toIso } from '@granary/contract/time';
import { initialFieldConfiguration } from '@granary/core/configuration/field-configuration';
import { initialConfiguration } from '@granary/core/configuration/silo-configuration';
import { VERSIONS_KEPT_MAX, versionRecord } from '@granary/core/configuration/versions';
import { ADA, testAttempt } from '@granary/testing/app/attempts';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  eventsOfDevice,
  isRefusal,
  NOW_MS,
  newDevice,
  newFieldDevice,
  readyFieldDevice,
  registerDevice,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const FENCE = [
  { lat: 51, lng: 12 },
  { lat: 51, lng: 14 },
  { lat: 53, lng: 14 },
  { lat: 53, lng: 12 },
];

describeEachEngine('configuration', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  it('merges a change and counts versions', async () => {
    const deviceNo = await registerDevice(app);
    const changed = await app.configuration.change(deviceNo, { thresholds: { low_level: 25 } }, NOW_MS);
    const initial = initialConfiguration(NOW_MS);
    const thresholds = { ...initial.thresholds, low_level: 25 };
    assert.deepEqual(changed, { configuration: { ...initial, thresholds }, version: 2 });
    assert.deepEqual(await app.configuration.get(deviceNo), changed);
  });

  it('changes nothing when the version is stale or the merged configuration would be invalid', async () => {
    const deviceNo = await registerDevice(app);
    const before = await app.configuration.get(deviceNo);
    const patch = { thresholds: { low_level: 95 } };
    await assert.rejects(app.configuration.change(deviceNo, {}, NOW_MS, 7), isRefusal('stale_version'));
    await assert.rejects(app.configuration.change(deviceNo, patch, NOW_MS, 1), (error) => {
      assert(error instanceof Refusal && error.code === 'invalid_input');
      assert.equal(error.details?.[0]?.path, '/thresholds/low_level');
      return true;
    });
    assert.deepEqual(await app.configuration.get(deviceNo), before);
  });

  it('follows the rules of the type of device', async () => {
    const deviceNo = await readyFieldDevice(app);
    const patch = { thresholds: { low_battery: 40 }, geofence: FENCE };
    const changed = await app.configuration.change(deviceNo, patch, NOW_MS, 1);
    const initial = initialFieldConfiguration(NOW_MS);
    const thresholds = { ...initial.thresholds, low_battery: 40 };
    assert.deepEqual(changed, { configuration: { ...initial, ...patch, thresholds }, version: 2 });
    assert.deepEqual(await app.configuration.get(deviceNo), changed);
    const baseOutsideFence = { base: { latitude: 0, longitude: 0, altitude: 0 } };
    const refused = app.configuration.change(deviceNo, baseOutsideFence, NOW_MS);
    await assert.rejects(refused, isRefusal('outside_geofence'));
    const siloChange = app.configuration.change(deviceNo, { thresholds: { low_level: 25 } }, NOW_MS);
    await assert.rejects(siloChange, isRefusal('invalid_input'));
    const events = (await eventsOfDevice(app, deviceNo)).map(({ type }) => type);
    assert.deepEqual(events, ['device.registered', 'device.status_changed', 'configuration.changed']);
    assert.deepEqual(await app.configuration.get(deviceNo), changed);
  });

  it('is the source of the reporting times in the list and the record of the device', async () => {
    const { deviceNo, deviceId } = await app.devices.register(newDevice());
    const times = async () => {
      const presence = (await app.devices.find(deviceId))?.presence;
      const current = await app.telemetry.current(deviceId);
      return [presence?.reportingIntervalMs, presence?.offlineDelayMs, current?.reportingIntervalMs];
    };
    assert.deepEqual(await times(), [10_000, 30_000, 10_000]);
    const reporting = { interval_s: 300, offline_delay_s: 0 };
    await app.configuration.change(deviceNo, { reporting }, NOW_MS);
    assert.deepEqual(await times(), [300_000, 0, 300_000]);
    const configured = newFieldDevice();
    const { presence } = await app.devices.register({
      ...configured,
      configuration: { ...configured.configuration, reporting },
    });
    assert.deepEqual([presence.reportingIntervalMs, presence.offlineDelayMs], [300_000, 0]);
  });

  it('keeps every version with its time and its caller, also of the registration', async () => {
    const { deviceNo } = await app.audited(testAttempt()).devices.register(newDevice());
    await app.configuration.change(deviceNo, { thresholds: { low_level: 25 } }, NOW_MS + 1);
    const caller = { ...ADA, actor: 'Grace' };
    const change = app.audited(testAttempt({ actor: caller })).configuration.change;
    await change(deviceNo, { thresholds: { low_level: 30 } }, NOW_MS + 2);
    await assert.rejects(change(deviceNo, { thresholds: { low_level: 95 } }, NOW_MS + 3));
    const versions = await app.configuration.versions(deviceNo, null, 10);
    assert.deepEqual(
      versions.map(versionRecord).map(({ version, at, actor, configuration }) => {
        assert('thresholds' in configuration && 'low_level' in configuration.thresholds);
        return [version, at, actor, configuration.thresholds.low_level];
      }),
      [
        [3, toIso(NOW_MS + 2), caller, 30],
        [2, toIso(NOW_MS + 1), null, 25],
        [1, toIso(NOW_MS), ADA, 20],
      ],
    );
    assert.deepEqual(await app.configuration.versions(deviceNo, 3, 1), versions.slice(1, 2));
  });

  it('keeps a limited number of versions of each device', async () => {
    const [deviceNo, otherNo] = [await registerDevice(app), await registerDevice(app)];
    for (let change = 0; change < VERSIONS_KEPT_MAX + 4; change++) {
      await app.configuration.change(deviceNo, {}, NOW_MS + change);
    }
    const versions = (await app.configuration.versions(deviceNo, null, 1_000)).map(({ version }) => version);
    assert.deepEqual(
      [versions.length, versions[0], versions.at(-1)],
      [VERSIONS_KEPT_MAX, VERSIONS_KEPT_MAX + 5, 6],
    );
    assert.equal((await app.configuration.versions(otherNo, null, 1_000)).length, 1);
  });

  it('refuses an unknown device', async () => {
    await assert.rejects(app.configuration.change(999_999, {}, NOW_MS), isRefusal('device_not_found'));
  });

  it('accepts one of many changes of the same version, and loses no change without a version', async () => {
    const deviceNo = await registerDevice(app);
    const other = await engine.open();
    const conditional = Array.from({ length: 6 }, (_, n) =>
      (n % 2 ? app : other).configuration.change(deviceNo, { thresholds: { low_level: 30 + n } }, NOW_MS, 1),
    );
    const outcomes = await Promise.allSettled(conditional);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    await Promise.all([
      app.configuration.change(deviceNo, { thresholds: { high_level: 80 } }, NOW_MS),
      other.configuration.change(deviceNo, { maintenance: { interval_hours: 5 } }, NOW_MS),
    ]);
    const after = await app.configuration.get(deviceNo);
    assert.equal(after?.version, 4);
    const versions = await app.configuration.versions(deviceNo, null, 10);
    assert.deepEqual(
      versions.map(({ version }) => version),
      [4, 3, 2, 1],
    );
    assert.partialDeepStrictEqual(after?.configuration, {
      thresholds: { high_level: 80 },
      maintenance: { interval_hours: 5 },
    });
  });
});
