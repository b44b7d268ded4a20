import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rover as roverProfile } from '@granary/contract/profiles/rover';
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { HOME, startRover } from '@granary/testing/server/devices/scripted-rover';
import { describeService, siloNamed } from '@granary/testing/server/service';

const AIR = { temperature: 21.5, humidity: 40, wind_speed: 3.2, atmospheric_pressure: 1013.25 };
const FIELDS = '/v1/fielddevice/devices';

describeService('field readings', (api) => {
  test('location and environment are what the device said last, with quality and age', async () => {
    const all = {
      ...HOME,
      battery_level: 80.5,
      signal_strength: -67,
      ...AIR,
      soil_moisture: 31,
      light_intensity: 54_000,
    };
    const rover = await startRover(api, 'full', all);
    const { status, body } = await api.get(`${rover.path}/location`);
    assert.equal(status, 200);
    const { coordinates, battery_level, signal_strength, quality, age_s, last_updated } = body.data;
    assert.deepEqual(coordinates, HOME);
    assert.deepEqual([battery_level, signal_strength], [80.5, -67]);
    assert.deepEqual(quality, { coordinates: 'good', battery_level: 'good', signal_strength: 'good' });
    assert.ok(age_s.coordinates <= 10);
    assert.match(last_updated, /Z$/);
    const air = (await api.get(`${rover.path}/sensors/environmental`)).body.data;
    for (const [name, value] of Object.entries({ ...AIR, soil_moisture: 31, light_intensity: 54_000 })) {
      assert.deepEqual([air[name], air.quality[name]], [value, 'good'], name);
    }
    await rover.leave();
  });

  test('what was never said is null and bad; what is old or impossible is marked', async () => {
    const rover = await startRover(api, 'terse', null);
    const { data } = (await api.get(`${rover.path}/location`)).body;
    assert.deepEqual(data.coordinates, { latitude: null, longitude: null, altitude: null });
    assert.deepEqual([data.battery_level, data.last_updated, data.quality.coordinates], [null, null, 'bad']);
    const tsMs = Date.now() - HOUR_MS;
    await rover.publish('telemetry', { ts: tsMs, temperature: 20, humidity: 140 });
    const air = (await api.get(`${rover.path}/sensors/environmental`)).body.data;
    assert.deepEqual([air.temperature, air.quality.temperature], [20, 'stale']);
    assert.deepEqual([air.humidity, air.quality.humidity], [140, 'bad']);
    assert.deepEqual([air.wind_speed, air.quality.wind_speed, air.age_s.wind_speed], [null, 'bad', null]);
    assert.equal(air.last_updated, toIso(tsMs));
    assert.ok(air.age_s.temperature >= 3_600);
    await rover.leave();
  });

  test('every value has a history, and CSV', async () => {
    const rover = await startRover(api, 'historic', null);
    const startMs = Math.floor((Date.now() - 2 * HOUR_MS) / HOUR_MS) * HOUR_MS;
    const values = {
      ...HOME,
      battery_level: 50,
      signal_strength: -70,
      ...AIR,
      soil_moisture: 5,
      light_intensity: 9,
    };
    await rover.publish('telemetry', [
      { ts: startMs, ...values },
      { ts: startMs + MINUTE_MS, ...values },
    ]);
    const range = `from=${toIso(startMs)}&to=${toIso(startMs + HOUR_MS)}`;
    for (const sensor of roverProfile.channels) {
      const { data } = (await api.get(`${rover.path}/sensors/history?sensor=${sensor}&${range}`)).body;
      assert.deepEqual(data, {
        sensor,
        interval: '1h',
        points: [{ timestamp: toIso(startMs), value: values[sensor] }],
      });
    }
    const count = await api.get(`${rover.path}/sensors/history?aggregate=count&interval=5m&${range}`);
    assert.deepEqual([count.body.data.sensor, count.body.data.points[0].value], ['temperature', 2]);
    const csv = await api.get(`${rover.path}/sensors/history?${range}`, { accept: 'text/csv' });
    assert.equal(csv.text, `timestamp,value\r\n${toIso(startMs)},21.5\r\n`);
    for (const query of [
      'sensor=level',
      'sensor=weight',
      'interval=2h',
      `from=${toIso(startMs)}&to=${toIso(startMs)}`,
    ]) {
      assert.equal((await api.get(`${rover.path}/sensors/history?${query}`)).status, 400, query);
    }
    await rover.leave();
  });

  test('the track holds every place in order of time, late ones too', async () => {
    const rover = await startRover(api, 'tracked', null);
    const startMs = Math.floor(Date.now() / SECOND_MS) * SECOND_MS - HOUR_MS;
    const at = (minute: number) => ({
      ts: startMs + minute * MINUTE_MS,
      latitude: minute / 8,
      longitude: -minute / 4,
    });
    for (const minute of [3, 1, 2, 1]) await rover.publish('telemetry', at(minute));
    await rover.publish('telemetry', { ts: startMs + 30 * SECOND_MS, battery_level: 60 });
    const { data } = (await api.get(`${rover.path}/track`)).body;
    assert.deepEqual(
      data.points,
      [1, 2, 3].map((minute) => ({
        timestamp: toIso(at(minute).ts),
        latitude: at(minute).latitude,
        longitude: at(minute).longitude,
        altitude: null,
      })),
    );
    const part = `from=${toIso(at(1).ts)}&to=${toIso(at(2).ts)}`;
    assert.equal((await api.get(`${rover.path}/track?${part}`)).body.data.points.length, 1);
    const few = (await api.get(`${rover.path}/track?limit=2`)).body.data.points;
    assert.deepEqual([few.length <= 2, few.at(-1)], [true, data.points.at(-1)]);
    for (const query of [
      'limit=0',
      'limit=10001',
      'from=yesterday',
      `from=${toIso(startMs)}&to=${toIso(startMs)}`,
      'colour=green',
    ]) {
      assert.equal((await api.get(`${rover.path}/track?${query}`)).status, 400, query);
    }
    await rover.leave();
  });

  test('a silo is none, and what a key may not see is not there', async () => {
    await api.post('/v1/siloscale/devices', siloNamed('a-silo'));
    const rover = await startRover(api, 'hidden');
    const limited = { name: 'k', scopes: ['read'], device_ids: ['another'] };
    const { key } = (await api.post('/v1/keys', limited)).body.data;
    for (const what of [
      'location',
      'sensors/environmental',
      'sensors/history',
      'track',
      'remote/commands',
      'missions',
    ]) {
      assert.equal((await api.get(`${FIELDS}/a-silo/${what}`)).body.error.code, 'device_not_found', what);
      assert.equal((await api.as(key).get(`${rover.path}/${what}`)).status, 404, what);
      assert.equal((await api.get(`${rover.path}/${what}`)).status, 200, what);
    }
    await rover.leave();
  });
});
