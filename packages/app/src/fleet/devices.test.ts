import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DEVICE_STATUSES } from '@granary/contract/devices/statuses';
import { deviceStatus, type Presence } from '@granary/core/devices/status';
import { describeEachEngine } from '@granary/testing/app/engines';
import { NOW_MS, newDevice, newFieldDevice, weigh } from '@granary/testing/app/fixtures';
import { ALL_DEVICES } from '@granary/testing/app/fleet-rows';
import fc from 'fast-check';
import type { App } from '../app.ts';
import type { DevicesPage } from './fleet.ts';

const PAGE: DevicesPage = {
  devices: ALL_DEVICES,
  profileName: null,
  status: null,
  text: null,
  withReadings: false,
  isRemoved: false,
  afterDeviceId: null,
  limit: 1_000,
  nowMs: NOW_MS,
};

const ms = fc.integer({ min: NOW_MS - 50_000, max: NOW_MS + 5_000 });
const presence: fc.Arbitrary<Presence> = fc.record({
  lastSeenAtMs: fc.option(ms, { nil: null }),
  linkDownAtMs: fc.option(ms, { nil: null }),
  reportedState: fc.constantFrom('online', 'maintenance', null),
  reportingIntervalMs: fc.constantFrom(1, 1_000, 5_000, 10_000),
  offlineDelayMs: fc.constant(30_000),
  maintenance: fc.option(
    fc.record({
      sinceMs: ms,
      untilMs: fc.option(ms, { nil: null }),
      reason: fc.constant('gate'),
      by: fc.constant(null),
    }),
    { nil: null },
  ),
});

/** Times at which the rules change, which random ones rarely meet. */
const EDGES: readonly Presence[] = [29_999, 30_000, 30_001].flatMap((agoMs) =>
  [null, 0, 1, -1].map((downMs) => ({
    lastSeenAtMs: NOW_MS - agoMs,
    reportedState: 'maintenance',
    reportingIntervalMs: 10_000,
    linkDownAtMs: downMs === null ? null : NOW_MS - agoMs + downMs,
    offlineDelayMs: 30_000,
    maintenance: null,
  })),
);

describeEachEngine('the list of all devices', (engine) => {
  let app: App;
  const ids = async (page: Partial<DevicesPage>) =>
    (await app.fleet.devices({ ...PAGE, ...page })).map(({ device_id }) => device_id);

  before(async () => {
    app = await engine.open();
    const place = { facility: 'North', zone: 'A' };
    await app.devices.register(
      newDevice({ deviceId: 'b-silo', name: 'Weizen 100%', model: 'GS_100', ...place }),
    );
    await app.devices.register(newDevice({ deviceId: 'C-silo', name: 'Überladung', model: 'GSX100' }));
    await app.devices.register(
      newFieldDevice({ deviceId: 'a-rover', model: 'FR-7', name: "O'Brien \\ rover", ...place, zone: 'B' }),
    );
  });

  it('is ordered by id, with every profile and its group, and continues after the cursor', async () => {
    const all = await app.fleet.devices(PAGE);
    assert.deepEqual(
      all.map(({ device_id, profile, group, readings }) => [device_id, profile, group, readings]),
      [
        ['C-silo', 'silo_scale', 'silo', undefined],
        ['a-rover', 'rover', 'field', undefined],
        ['b-silo', 'silo_scale', 'silo', undefined],
      ],
    );
    assert.deepEqual(await ids({ afterDeviceId: 'C-silo', limit: 1 }), ['a-rover']);
    assert.deepEqual(await ids({ profileName: 'rover' }), ['a-rover']);
    assert.deepEqual(await ids({ devices: { ...ALL_DEVICES, facility: 'North', zone: 'B' } }), ['a-rover']);
  });

  it('finds a text in id, name and model, in either case, and takes every character literally', async () => {
    for (const [text, found] of [
      ['SILO', ['C-silo', 'b-silo']],
      ['gs_', ['b-silo']],
      ['100%', ['b-silo']],
      ['%', ['b-silo']],
      ['_', ['b-silo']],
      ['ÜBERLADUNG', ['C-silo']],
      ['über', ['C-silo']],
      ["o'brien \\", ['a-rover']],
      ["' OR 1=1 --", []],
      ['$1', []],
      ['\u{1f69c}', []],
      ['x'.repeat(200), []],
    ] as const) {
      assert.deepEqual(await ids({ text }), found, text);
    }
  });

  it('adds the newest values of the sensors that have reported, and the level of a silo', async () => {
    const silo = await app.devices.find('b-silo');
    assert(silo !== undefined);
    await weigh(app, silo.deviceNo, 6_250.25, NOW_MS - 1_000);
    const [rover, b] = await app.fleet.devices({ ...PAGE, afterDeviceId: 'C-silo', withReadings: true });
    const timestamp = new Date(NOW_MS - 1_000).toISOString();
    assert.deepEqual(rover?.readings, {});
    assert.deepEqual(b?.readings, {
      weight: { value: 6_250.25, unit: 'kg', timestamp, quality: 'good' },
      level: { value: 50, unit: 'percent', timestamp, quality: 'good' },
    });
    const stale = await app.fleet.devices({ ...PAGE, nowMs: NOW_MS + 60_000, withReadings: true });
    assert.equal(stale.at(-1)?.readings?.['weight']?.quality, 'stale');
  });

  it('survives a device whose declared sensors cannot be read', async () => {
    await engine.query(`UPDATE devices SET sensors = 'damaged' WHERE device_id = 'b-silo'`);
    const [, , b] = await app.fleet.devices({ ...PAGE, withReadings: true });
    assert.equal(b?.readings?.['weight']?.value, 6_250.25);
    await engine.query(`UPDATE devices SET sensors = NULL WHERE device_id = 'b-silo'`);
  });

  it('has the devices of a status by the same rule as every other answer', async () => {
    const check = async (one: Presence): Promise<void> => {
      const state = one.reportedState === null ? 'NULL' : `'${one.reportedState}'`;
      await engine.query(
        `UPDATE presence SET last_seen_at_ms = ${one.lastSeenAtMs}, link_down_at_ms = ${one.linkDownAtMs},
           reported_state = ${state}, reporting_interval_ms = ${one.reportingIntervalMs}
         WHERE device_no = (SELECT device_no FROM devices WHERE device_id = 'b-silo')`,
      );
      await engine.query(
        `UPDATE devices SET maintenance_since_ms = ${one.maintenance?.sinceMs ?? null},
           maintenance_until_ms = ${one.maintenance?.untilMs ?? null} WHERE device_id = 'b-silo'`,
      );
      const status = deviceStatus(one, NOW_MS);
      for (const wanted of DEVICE_STATUSES) {
        const isListed = (await ids({ status: wanted })).includes('b-silo');
        assert.equal(isListed, wanted === status, `${wanted}: ${JSON.stringify(one)}`);
      }
      const { devices } = await app.fleet.overview([{ facilities: null, deviceIds: ['b-silo'] }], NOW_MS);
      assert.equal(devices.by_status[status], 1);
    };
    for (const edge of EDGES) await check(edge);
    await fc.assert(fc.asyncProperty(presence, check), { numRuns: 60 });
  });
});
