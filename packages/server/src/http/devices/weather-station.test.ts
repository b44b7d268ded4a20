import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFieldCommand } from '@granary/contract/link/field-messages';
import { HOUR_MS, toIso } from '@granary/contract/time';
import { ScriptedDevice } from '@granary/testing/server/devices/scripted-device';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeRequests, fieldDeviceNamed } from '@granary/testing/server/service';

const FIELDS = '/v1/fielddevice/devices';
const WEATHER = {
  temperature: 8.4,
  humidity: 91,
  wind_speed: 6.3,
  atmospheric_pressure: 998.7,
  rainfall: 0.4,
  light_intensity: 2_100,
};

async function startStation(api: Api, deviceId: string) {
  const wanted = { ...fieldDeviceNamed(deviceId), profile: 'weather_station' };
  const { status, body } = await api.post(FIELDS, wanted);
  assert.equal(status, 200);
  const { credentials } = body.data;
  const station = new ScriptedDevice({ api, root: FIELDS, credentials, checkCommand: checkFieldCommand });
  await station.reconnect();
  return station;
}

describeRequests('weather stations', (api) => {
  test('are registered by their profile, and every record names it', async () => {
    const station = await startStation(api, 'weather-1');
    assert.equal((await api.get(station.path)).body.data.profile, 'weather_station');
    await api.post(FIELDS, fieldDeviceNamed('rover-of-old'));
    const { data } = (await api.get(FIELDS)).body;
    const profiles = data.map((device: { profile: string }) => device.profile);
    assert.deepEqual(profiles.toSorted(), ['rover', 'weather_station']);
    const unknown = await api.post(FIELDS, { ...fieldDeviceNamed('x'), profile: 'silo_scale' });
    assert.deepEqual([unknown.status, unknown.body.error.details[0].path], [400, '/profile']);
    await station.leave();
  });

  test('report over MQTT and answer the newest values and a history', async () => {
    const station = await startStation(api, 'weather-2');
    const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
    await station.publish('telemetry', [
      { ts: startMs, ...WEATHER },
      { ts: startMs + 1_000, rainfall: 0.2 },
      { ts: Date.now(), ...WEATHER },
    ]);
    const { data } = (await api.get(`${station.path}/sensors/environmental`)).body;
    for (const [name, value] of Object.entries(WEATHER)) {
      assert.deepEqual([data[name], data.quality[name]], [value, 'good'], name);
    }
    assert.equal(data.soil_moisture, null);
    const range = `from=${toIso(startMs)}&to=${toIso(startMs + HOUR_MS)}`;
    const rain = await api.get(`${station.path}/sensors/history?sensor=rainfall&aggregate=sum&${range}`);
    assert.deepEqual(rain.body.data.points, [{ timestamp: toIso(startMs), value: 0.6 }]);
    const other = await api.get(`${station.path}/sensors/history?sensor=battery_level`);
    assert.deepEqual([other.status, other.body.error.details[0].path], [400, '/sensor']);
    await station.leave();
  });

  test('may not report what they cannot measure, nor answer what nobody asked', async () => {
    const station = await startStation(api, 'weather-3');
    await station.publish('telemetry', { ts: Date.now(), battery_level: 50 });
    await station.publish('ack', { command_id: 'cmd_1', accepted: true });
    const { data } = (await api.get(`${station.path}/rejections`)).body;
    assert.equal(data.total, 2);
    assert.match(data.recent[0].reason, /weather_station are asked to do nothing/);
    const overHttp = await api.post(`${station.path}/telemetry`, { ts: Date.now(), battery_level: 50 });
    assert.equal(overHttp.status, 400);
    await station.leave();
  });

  test('refuse commands, an emergency stop included, and missions', async () => {
    const station = await startStation(api, 'weather-4');
    await station.publish('telemetry', { ts: Date.now(), ...WEATHER });
    const mission = { mission_name: 'rain', waypoints: [{ lat: 52, lng: 13, action: 'scan' }] };
    for (const [path, body] of [
      ['remote/command', { command: 'hold' }],
      ['remote/command', { command: 'emergency_stop' }],
      ['missions', mission],
    ] as const) {
      const refused = await api.post(`${station.path}/${path}`, body);
      assert.deepEqual(
        [refused.status, refused.body.error.code],
        [409, 'not_supported'],
        JSON.stringify(body),
      );
    }
    assert.deepEqual((await api.get(`${station.path}/remote/commands`)).body.data, []);
    assert.deepEqual(station.commands, []);
    await station.leave();
  });

  test('are configured and raise the alerts of their sensors', async () => {
    const station = await startStation(api, 'weather-5');
    const changed = await api.put(`${station.path}/config`, { reporting: { interval_s: 20 } });
    assert.deepEqual([changed.status, changed.body.data.reporting.interval_s], [200, 20]);
    assert.deepEqual(Object.keys(changed.body.data).toSorted(), [
      'alarms',
      'maintenance',
      'reporting',
      'rules',
    ]);
    assert.equal((await api.put(`${station.path}/config`, { motion: { speed_m_s: 1 } })).status, 400);
    await station.publish('telemetry', { ts: Date.now(), humidity: 140 });
    const typeOfFirst = async () => (await api.get(`${station.path}/alerts`)).body.data[0]?.type;
    await eventually(typeOfFirst, 'sensor_fault');
    await station.leave();
  });
});
