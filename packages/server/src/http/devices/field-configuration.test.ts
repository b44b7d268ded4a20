import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, toIso } from '@granary/contract/time';
import { HOME, roverNamed, startRover } from '@granary/testing/server/devices/scripted-rover';
import { eventually } from '@granary/testing/server/eventually';
import { describeRequests } from '@granary/testing/server/service';

const FIELDS = '/v1/fielddevice/devices';
const TRIANGLE = [
  { lat: 48.1, lng: 16.2 },
  { lat: 48.1, lng: 16.4 },
  { lat: 48.3, lng: 16.3 },
];

describeRequests('configuration of field devices', (api) => {
  test('starts with what is careful, merges deeply, and has a version', async () => {
    await api.post(FIELDS, roverNamed('merged'));
    const path = `${FIELDS}/merged/config`;
    const first = await api.get(path);
    assert.equal(first.status, 200);
    assert.deepEqual([first.body.data.base, first.body.data.geofence], [null, null]);
    const change = {
      motion: { speed_m_s: 2 },
      failsafe: { link_loss_action: 'hold' },
      base: HOME,
      geofence: TRIANGLE,
    };
    const etag = { 'if-match': first.headers.get('etag') ?? '' };
    const changed = await api.put(path, change, etag);
    assert.equal(changed.status, 200, changed.text);
    const { failsafe, ...whole } = changed.body.data;
    assert.deepEqual([whole.motion, whole.base, whole.geofence], [change.motion, HOME, TRIANGLE]);
    assert.deepEqual(failsafe, { ...first.body.data.failsafe, link_loss_action: 'hold' });
    assert.deepEqual(whole.battery, first.body.data.battery);
    assert.equal((await api.put(path, change, etag)).status, 412);
    assert.equal((await api.put(path, { geofence: null })).body.data.geofence, null);
  });

  const refused: Record<string, readonly [unknown, number, string]> = {
    'an unknown field': [{ colour: 'green' }, 400, 'invalid_input'],
    'a silo’s field': [{ operation_limits: { max_feed_rate: 5 } }, 400, 'invalid_input'],
    'a speed of nothing': [{ motion: { speed_m_s: 0 } }, 400, 'invalid_input'],
    'a number in words': [{ battery: { reserve_percent: '20' } }, 400, 'invalid_input'],
    'more than all': [{ battery: { reserve_percent: 101 } }, 400, 'invalid_input'],
    'an unknown action': [{ failsafe: { link_loss_action: 'panic' } }, 400, 'invalid_input'],
    'a fence of two posts': [{ geofence: TRIANGLE.slice(1) }, 400, 'invalid_input'],
    'a fence off the globe': [{ geofence: [...TRIANGLE, { lat: 99, lng: 0 }] }, 400, 'invalid_input'],
    'thresholds that contradict': [{ thresholds: { critical_battery: 90 } }, 400, 'invalid_input'],
    'a fence that crosses itself': [
      {
        geofence: [
          { lat: 0, lng: 0 },
          { lat: 1, lng: 1 },
          { lat: 0, lng: 1 },
          { lat: 1, lng: 0 },
        ],
      },
      422,
      'invalid_geofence',
    ],
    'a return without a base': [{ failsafe: { low_battery_action: 'return_to_base' } }, 409, 'no_base'],
    'a base outside': [{ geofence: TRIANGLE, base: { ...HOME, latitude: 49 } }, 422, 'outside_geofence'],
  };
  test('what contradicts itself is refused, and nothing changes', async () => {
    await api.post(FIELDS, roverNamed('firm'));
    const path = `${FIELDS}/firm/config`;
    const before = await api.get(path);
    for (const [what, [patch, status, code]] of Object.entries(refused)) {
      const answer = await api.put(path, patch);
      assert.deepEqual([answer.status, answer.body.error.code], [status, code], what);
    }
    const after = await api.get(path);
    assert.deepEqual(
      [after.body.data, after.headers.get('etag')],
      [before.body.data, before.headers.get('etag')],
    );
    assert.equal((await api.put('/v1/siloscale/devices/firm/config', {})).status, 404);
  });

  test('needs the right to configure', async () => {
    await api.post(FIELDS, roverNamed('guarded'));
    const { key } = (await api.post('/v1/keys', { name: 'k', scopes: ['read', 'operate'] })).body.data;
    assert.equal((await api.as(key).put(`${FIELDS}/guarded/config`, { geofence: null })).status, 403);
    assert.equal((await api.as(key).get(`${FIELDS}/guarded/config`)).status, 200);
  });

  test('reaches the device: when it subscribes, and when it changes', async () => {
    const device = await startRover(api, 'told');
    await device.subscribeToConfigurations();
    await eventually(async () => device.configurations.at(-1)?.version, 1);
    await api.put(`${FIELDS}/told/config`, { motion: { speed_m_s: 3 } });
    await eventually(async () => device.configurations.at(-1)?.motion.speed_m_s, 3);
    await device.leave();
  });
});

describeRequests('alerts of field devices', (api) => {
  test('a battery that runs low, and one that is charged again', async () => {
    const rover = await startRover(api, 'tired', { ...HOME, battery_level: 24 });
    await api.put(`${rover.path}/config`, { alarms: { off_delay_s: 0 } });
    const alerts = async (status = 'open') =>
      (await api.get(`${rover.path}/alerts?status=${status}`)).body.data;
    await eventually(async () => (await alerts())[0]?.severity, 'warning');
    await rover.report({ battery_level: 9 });
    await eventually(async () => (await alerts())[0]?.severity, 'critical');
    const [{ alert_id, type, current_value }] = await alerts();
    assert.deepEqual([type, current_value], ['low_battery', 9]);
    const path = `${rover.path}/alerts/${alert_id}`;
    const shelving = { until: toIso(Date.now() + HOUR_MS), reason: 'on its way home' };
    assert.equal((await api.post(`${path}/shelve`, shelving)).body.data.shelve_reason, shelving.reason);
    const acknowledged = await api.post(`${path}/acknowledge`, { acknowledged_by: 'Ada' });
    assert.equal(acknowledged.body.data.status, 'acknowledged');
    await rover.report({ battery_level: 90 });
    await eventually(async () => (await alerts('resolved'))[0]?.alert_id, alert_id);
    await rover.leave();
  });

  test('a device beyond its fence, once there is one', async () => {
    const rover = await startRover(api, 'escaped', { ...HOME, latitude: 48.9, battery_level: 90 });
    const alerts = async () => (await api.get(`${rover.path}/alerts`)).body.data;
    assert.deepEqual(await alerts(), []);
    await api.put(`${rover.path}/config`, { geofence: TRIANGLE });
    await eventually(async () => (await alerts())[0]?.type, 'geofence_breach');
    assert.equal((await api.get(`/v1/siloscale/devices/escaped/alerts`)).status, 404);
    await rover.leave();
  });
});
