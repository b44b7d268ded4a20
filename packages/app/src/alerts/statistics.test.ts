import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { AlertStatistics } from '@granary/contract/alert-statistics';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { NO_OPEN_ALERTS, openAlertsOf } from '@granary/core/alerts/statistics';
import { describeEachEngine } from '@granary/testing/app/engines';
import { NOW_MS, registerDevice, weigh } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import type { DeviceSelection } from '../conditions.ts';
import type { OpenAlertsPart } from './raise-rows.ts';

const ALL: DeviceSelection = {
  limits: [{ facilities: null, deviceIds: null }],
  facility: null,
  zone: null,
  deviceId: null,
};
const DAY_LATER_MS = NOW_MS + 25 * HOUR_MS;

describeEachEngine('statistics of alerts', (engine) => {
  let app: App;
  const numbers: number[] = [];
  const statistics = async (
    devices = ALL,
    fromMs = NOW_MS,
    toMs = NOW_MS + DAY_MS,
    nowMs = DAY_LATER_MS,
  ): Promise<AlertStatistics> => {
    let open = NO_OPEN_ALERTS;
    // Each part has one alert.
    for (let after: number | null = 0; after !== null; ) {
      const part: OpenAlertsPart = await app.alerts.openInPart(devices, { after, rowsMax: 1 }, nowMs);
      open = openAlertsOf(open, part);
      after = part.next;
    }
    return { ...(await app.alerts.statistics({ devices, fromMs, toMs })), ...open };
  };
  const at = async (deviceNo: number, kg: number, atMs: number): Promise<void> => {
    await weigh(app, deviceNo, kg, atMs);
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: atMs });
  };
  /** The level is low at a time, and normal again half a minute later. */
  const dip = async (deviceNo: number, atMs: number): Promise<void> => {
    await at(deviceNo, 1_500, atMs);
    await at(deviceNo, 5_000, atMs + 30 * SECOND_MS);
    await at(deviceNo, 5_000, atMs + 40 * SECOND_MS);
  };

  before(async () => {
    app = await engine.open();
    for (const [deviceId, facility] of [
      ['jumpy', 'North'],
      ['slow', 'South'],
    ] as const) {
      const deviceNo = await registerDevice(app, { deviceId, facility, name: deviceId, capacityKg: 10_000 });
      numbers.push(deviceNo);
    }
    const [jumpy = 0, slow = 0] = numbers;
    await at(jumpy, 5_000, NOW_MS);
    await at(slow, 5_000, NOW_MS);
    for (const minute of [1, 4, 8, 61]) await dip(jumpy, NOW_MS + minute * MINUTE_MS);
    await at(slow, 1_500, NOW_MS + 2 * MINUTE_MS);
  });

  it('count every time an alert became active, also again before anybody acknowledged it', async () => {
    const { raised, per_hour, buckets, bucket_minutes, most_frequent, flood_periods } = await statistics();
    assert.deepEqual(raised, { total: 5, info: 0, warning: 5, critical: 0 });
    assert.deepEqual([per_hour, bucket_minutes, flood_periods], [0.21, 60, 0]);
    assert.deepEqual(buckets, [
      { from: toIso(NOW_MS), raised: 4 },
      { from: toIso(NOW_MS + HOUR_MS), raised: 1 },
    ]);
    assert.deepEqual(
      most_frequent.map(({ device_id, type, raised: times, last_at }) => [device_id, type, times, last_at]),
      [
        ['jumpy', 'low_level', 4, toIso(NOW_MS + 61 * MINUTE_MS)],
        ['slow', 'low_level', 1, toIso(NOW_MS + 2 * MINUTE_MS)],
      ],
    );
  });

  it('name what chatters: raised three times within ten minutes', async () => {
    const { chattering } = await statistics();
    assert.deepEqual(
      chattering.map(({ device_id, facility, raised, severity }) => [device_id, facility, raised, severity]),
      [['jumpy', 'North', 1, 'warning']],
    );
    const later = await statistics(ALL, NOW_MS + 3 * MINUTE_MS);
    assert.deepEqual(later.chattering, []);
  });

  it('name what stands for a day, and keep to the limits of a key and to a facility', async () => {
    const [slow] = (await statistics()).standing.alerts;
    assert.deepEqual([slow?.device_id, slow?.since], ['slow', toIso(NOW_MS + 2 * MINUTE_MS)]);
    assert.equal((await statistics()).standing.total, 1);
    assert.equal((await statistics(ALL, NOW_MS, NOW_MS + DAY_MS, NOW_MS + HOUR_MS)).standing.total, 0);
    const north = await statistics({ ...ALL, facility: 'North' });
    assert.deepEqual([north.raised.total, north.standing.total], [4, 0]);
    const limited = await statistics({ ...ALL, limits: [{ facilities: null, deviceIds: ['slow'] }] });
    assert.deepEqual([limited.raised.total, limited.chattering], [1, []]);
  });

  it('count what is shelved, and forget raises with the alerts', async () => {
    const [, slow = 0] = numbers;
    const [alert] = await app.alerts.list({ deviceNo: slow, filter: 'open', beforeAlertId: null, limit: 1 });
    const shelving = { until: toIso(DAY_LATER_MS + HOUR_MS), reason: 'known' };
    const alertId = alert?.alertId ?? '';
    await app.alerts.shelve({ deviceNo: slow, alertId, shelving, nowMs: DAY_LATER_MS });
    assert.equal((await statistics()).shelved, 1);
    await app.alerts.expire({ beforeMs: NOW_MS + 30 * MINUTE_MS, rowsMax: 100 });
    const { raised, standing } = await statistics();
    assert.deepEqual([raised.total, standing.alerts[0]?.since], [1, null]);
  });
});
