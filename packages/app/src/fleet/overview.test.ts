import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { UNLIMITED } from '@granary/core/keys';
import { describeEachEngine } from '@granary/testing/app/engines';
import { locate, NOW_MS, newDevice, newFieldDevice, weigh } from '@granary/testing/app/fixtures';
import { alertState, insertAlerts, insertOperations } from '@granary/testing/app/fleet-rows';
import type { App } from '../app.ts';

describeEachEngine('the overview', (engine) => {
  let app: App;
  const numbers = new Map<string, number>();
  const numberOf = (deviceId: string): number => numbers.get(deviceId) ?? 0;

  before(async () => {
    app = await engine.open();
    for (const [deviceId, facility] of [
      ['silo-n', 'North'],
      ['silo-s', 'South'],
    ] as const) {
      const { deviceNo } = await app.devices.register(
        newDevice({ deviceId, facility, name: `Silo ${facility}` }),
      );
      numbers.set(deviceId, deviceNo);
    }
    const rover = await app.devices.register(newFieldDevice({ deviceId: 'rover-n', facility: 'North' }));
    numbers.set('rover-n', rover.deviceNo);
  });

  it('is full of zeros while nothing has happened', async () => {
    assert.deepEqual(await app.fleet.overview(UNLIMITED, NOW_MS), {
      at: '2026-06-15T12:00:00.000Z',
      last_event_id: 3,
      devices: {
        total: 3,
        by_status: { online: 0, offline: 3, maintenance: 0 },
        by_profile: { rover: 1, silo_scale: 2, weather_station: 0 },
      },
      open_alerts: {
        info: { total: 0, unacknowledged: 0 },
        warning: { total: 0, unacknowledged: 0 },
        critical: { total: 0, unacknowledged: 0 },
      },
      under_way: { operations: 0, commands: 0, missions: 0 },
      emergency_stops: { in_force: 0, unconfirmed: 0 },
      attention: [],
      attention_more: false,
    });
  });

  it('counts what is open and under way, and names what needs attention first', async () => {
    await weigh(app, numberOf('silo-n'), 100, NOW_MS);
    await locate(app, numberOf('rover-n'), {}, NOW_MS);
    const north = numberOf('silo-n');
    await insertAlerts(engine, [
      alertState({ alertId: 'al_warning', deviceNo: north }),
      alertState({ alertId: 'al_critical', deviceNo: north, severity: 'critical', status: 'cleared' }),
      alertState({ alertId: 'al_known', deviceNo: north, severity: 'critical', status: 'acknowledged' }),
      alertState({
        alertId: 'al_shelved',
        deviceNo: north,
        severity: 'critical',
        shelvedUntilMs: NOW_MS + 1,
      }),
      alertState({ alertId: 'al_pending', deviceNo: north, severity: 'critical', status: 'pending' }),
      alertState({ alertId: 'al_over', deviceNo: north, severity: 'critical', status: 'resolved' }),
      alertState({ alertId: 'al_south', deviceNo: numberOf('silo-s'), severity: 'critical' }),
    ]);
    await insertOperations(engine, [
      { operationId: 'op_over', deviceNo: north, status: 'completed' },
      { operationId: 'op_runs', deviceNo: numberOf('silo-s'), status: 'in_progress' },
      { operationId: 'op_stops', deviceNo: north, status: 'stopping' },
    ]);
    await app.commands.issue({
      deviceNo: numberOf('rover-n'),
      commandId: 'cmd_stop',
      request: { command: 'emergency_stop' },
      isReachable: true,
      nowMs: NOW_MS,
    });
    const overview = await app.fleet.overview(UNLIMITED, NOW_MS);
    assert.deepEqual(overview.devices.by_status, { online: 2, offline: 1, maintenance: 0 });
    assert.deepEqual(overview.open_alerts, {
      info: { total: 0, unacknowledged: 0 },
      warning: { total: 1, unacknowledged: 1 },
      critical: { total: 3, unacknowledged: 2 },
    });
    assert.deepEqual(overview.under_way, { operations: 2, commands: 1, missions: 0 });
    assert.deepEqual(overview.emergency_stops, { in_force: 1, unconfirmed: 1 });
    assert.deepEqual(
      overview.attention.map(({ device_id, what, id }) => [device_id, what, id]),
      [
        ['rover-n', 'emergency_stop_unconfirmed', 'cmd_stop'],
        ['silo-n', 'stop_unconfirmed', 'op_stops'],
        ['silo-n', 'critical_alert', 'al_critical'],
        ['silo-s', 'critical_alert', 'al_south'],
        ['silo-s', 'offline_with_job', null],
        ['silo-n', 'warning_alert', 'al_warning'],
      ],
    );
  });

  it('knows nothing beyond the limits of the key', async () => {
    const south = await app.fleet.overview([{ facilities: ['South'], deviceIds: null }], NOW_MS);
    assert.deepEqual(
      [
        south.devices.total,
        south.open_alerts.critical.total,
        south.under_way,
        south.emergency_stops.in_force,
      ],
      [1, 1, { operations: 1, commands: 0, missions: 0 }, 0],
    );
    assert.deepEqual([...new Set(south.attention.map(({ device_id }) => device_id))], ['silo-s']);
    const none = await app.fleet.overview([{ facilities: ['South'], deviceIds: ['silo-n'] }], NOW_MS);
    assert.deepEqual([none.devices.total, none.attention], [0, []]);
  });

  it('survives rows that cannot be read', async () => {
    await engine.query(`UPDATE alerts SET body = 'damaged' WHERE alert_id = 'al_critical'`);
    await engine.query(`UPDATE commands SET body = '{}' WHERE command_id = 'cmd_stop'`);
    const { attention, emergency_stops } = await app.fleet.overview(UNLIMITED, NOW_MS);
    assert.equal(attention[0]?.what, 'stop_unconfirmed');
    assert.equal(emergency_stops.unconfirmed, 1);
  });
});
