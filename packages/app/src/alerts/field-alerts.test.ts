import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { SECOND_MS } from '@granary/contract/time';
import { DEFAULT_MONITORING, delaysOf } from '@granary/core/alerts/monitoring';
import { STOP_CONFIRMATION_MS_MAX } from '@granary/core/commands/emergency-stop';
import { FRESHNESS_MS, NEVER_SEEN } from '@granary/core/devices/status';
import { describeEachEngine } from '@granary/testing/app/engines';
import { eventsOfDevice, locate, NOW_MS, readyFieldDevice } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const FENCE = [
  { lat: 51.9, lng: 12.9 },
  { lat: 51.9, lng: 13.1 },
  { lat: 52.1, lng: 13 },
];

describeEachEngine('alerts of field devices', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const openTypes = async (deviceNo: number): Promise<string[]> => {
    const alerts = await app.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 });
    return alerts.map(({ type, severity, status }) => `${type} ${severity} ${status}`);
  };

  const evaluate = (deviceNo: number, nowMs: number) => app.alerts.evaluate({ deviceNos: [deviceNo], nowMs });

  it('follow the battery, the fence and the link', async () => {
    const deviceNo = await readyFieldDevice(app);
    assert.deepEqual(await openTypes(deviceNo), []);
    assert.deepEqual(await locate(app, deviceNo, { battery: 20 }, NOW_MS + 1), [deviceNo]);
    await evaluate(deviceNo, NOW_MS + 1);
    assert.deepEqual(await openTypes(deviceNo), ['low_battery warning active']);
    await locate(app, deviceNo, { lat: 53, battery: 90 }, NOW_MS + 2);
    await evaluate(deviceNo, NOW_MS + 2);
    await app.configuration.change(deviceNo, { geofence: FENCE }, NOW_MS + 10 * SECOND_MS);
    assert.deepEqual(await openTypes(deviceNo), [
      'geofence_breach critical active',
      'low_battery warning cleared',
    ]);
    const goneMs = NOW_MS + 2 + FRESHNESS_MS + 1;
    assert((await app.alerts.evaluateDue({ nowMs: goneMs, limit: 100 })).devices > 0);
    assert(!(await openTypes(deviceNo)).includes('device_offline warning active'));
    await app.alerts.evaluateDue({ nowMs: goneMs + NEVER_SEEN.offlineDelayMs, limit: 100 });
    assert((await openTypes(deviceNo)).includes('device_offline warning active'));
    const statuses = (await eventsOfDevice(app, deviceNo))
      .filter(({ type }) => type === 'device.status_changed')
      .map(({ data }) => data['status']);
    assert.deepEqual(statuses, ['online', 'offline']);
  });

  it('of a link that is lost come after the delay, and are worse while an emergency stop is not confirmed', async () => {
    const deviceNo = await readyFieldDevice(app);
    await app.devices.recordLinkDown(deviceNo, NOW_MS + 1);
    await app.alerts.evaluateDue({ nowMs: NOW_MS + 1, limit: 100 });
    assert.deepEqual(await openTypes(deviceNo), []);
    const alarmMs = NOW_MS + 1 + NEVER_SEEN.offlineDelayMs;
    await app.alerts.evaluateDue({ nowMs: alarmMs, limit: 100 });
    assert.deepEqual(await openTypes(deviceNo), ['device_offline warning active']);
    const request = { command: 'emergency_stop' } as const;
    const stop = { deviceNo, commandId: `cmd_${deviceNo}`, request, isReachable: false };
    await app.commands.issue({ ...stop, nowMs: alarmMs + 1 });
    assert.deepEqual(await openTypes(deviceNo), ['device_offline critical active']);
  });

  it('of an emergency stop that is not confirmed come after 5 s and go with the confirmation', async () => {
    const deviceNo = await readyFieldDevice(app);
    const commandId = `cmd_${deviceNo}`;
    const request = { command: 'emergency_stop' } as const;
    await app.commands.issue({ deviceNo, commandId, request, isReachable: true, nowMs: NOW_MS });
    const dueMs = NOW_MS + STOP_CONFIRMATION_MS_MAX;
    await app.alerts.evaluateDue({ nowMs: dueMs - 1, limit: 100 });
    assert.deepEqual(await openTypes(deviceNo), []);
    const ack = { command_id: commandId, accepted: false, reason: 'no' };
    await app.commands.acknowledged({ deviceNo, ack, nowMs: dueMs - 1 });
    await app.alerts.evaluateDue({ nowMs: dueMs, limit: 100 });
    assert.deepEqual(await openTypes(deviceNo), ['emergency_stop_unconfirmed critical active']);
    const progress = { command_id: commandId, state: 'succeeded', ts: dueMs } as const;
    await app.commands.progressed({ deviceNo, progress, nowMs: dueMs });
    await evaluate(deviceNo, dueMs + delaysOf(DEFAULT_MONITORING.alarms).offMs);
    assert.deepEqual(await openTypes(deviceNo), ['emergency_stop_unconfirmed critical cleared']);
  });

  it('are acknowledged like all others', async () => {
    const deviceNo = await readyFieldDevice(app);
    await locate(app, deviceNo, { battery: 5 }, NOW_MS + 1);
    await evaluate(deviceNo, NOW_MS + 1);
    const [alert] = await app.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 1 });
    const alertId = alert?.alertId ?? '';
    const by = { acknowledged_by: 'Ana' };
    await app.alerts.acknowledge({ deviceNo, alertId, by, nowMs: NOW_MS + 2 });
    assert.deepEqual(await openTypes(deviceNo), ['low_battery critical acknowledged']);
  });
});
