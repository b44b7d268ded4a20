import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { AGGREGATES } from '@granary/contract/telemetry/telemetry';
import { eventually } from '@granary/testing/server/eventually';
import { describeService, siloNamed } from '@granary/testing/server/service';

const HOUR_MS = 3_600_000;

describeService('telemetry over HTTP', (api) => {
  const devices = '/v1/siloscale/devices';
  const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS;

  before(async () => {
    await api.post(devices, siloNamed('silo-1'));
    await api.post(devices, siloNamed('quiet'));
  });

  test('what is sent is what is read, with unit, time and quality', async () => {
    const ts = new Date().toISOString();
    const sent = await api.post(`${devices}/silo-1/telemetry`, {
      ts,
      weight: 785.25,
      temperature: 18.5,
      humidity: 55,
    });
    assert.deepEqual(sent.body, { success: true, data: { stored: 1 } });
    assert.deepEqual((await api.get(`${devices}/silo-1/sensors`)).body, {
      success: true,
      data: {
        level: {
          current: 78.525,
          unit: 'percent',
          actual: 785.25,
          actual_unit: 'kg',
          timestamp: ts,
          quality: 'good',
        },
        temperature: { current: 18.5, unit: 'celsius', timestamp: ts, quality: 'good' },
        humidity: { current: 55, unit: 'percent', timestamp: ts, quality: 'good' },
      },
    });
    const { status, last_seen, sensors } = (await api.get(`${devices}/silo-1`)).body.data;
    assert.equal(status, 'online');
    assert.ok(Math.abs(Date.parse(last_seen) - Date.now()) < 60_000);
    assert.deepEqual(
      sensors.map((sensor: { status: string }) => sensor.status),
      ['active', 'active', 'active'],
    );
  });

  test('a silo that never reported shows all three keys without a value', async () => {
    const { level, temperature, humidity } = (await api.get(`${devices}/quiet/sensors`)).body.data;
    for (const reading of [level, temperature, humidity]) {
      assert.deepEqual([reading.current, reading.timestamp, reading.quality], [null, null, 'bad']);
    }
    assert.equal(level.actual, null);
  });

  test('an older reading does not replace a newer one', async () => {
    const before = (await api.get(`${devices}/silo-1/sensors`)).body.data.temperature.current;
    await api.post(`${devices}/silo-1/telemetry`, { ts: Date.now() - 60_000, temperature: 99 });
    assert.equal((await api.get(`${devices}/silo-1/sensors`)).body.data.temperature.current, before);
  });

  test('history has means of aligned buckets, without points for empty ones', async () => {
    const readings = [0, 10, 20].map((minute) => ({
      ts: hourMs + minute * 60_000,
      weight: 100 + minute,
      humidity: 40,
    }));
    await api.post(`${devices}/silo-1/telemetry`, readings);
    await api.post(`${devices}/silo-1/telemetry`, readings.reverse());
    const from = new Date(hourMs).toISOString();
    const to = new Date(hourMs + HOUR_MS).toISOString();
    const ask = async (query: string) =>
      (await api.get(`${devices}/silo-1/sensors/history?from=${from}&to=${to}&${query}`)).body.data;
    assert.deepEqual(await ask(''), {
      sensor: 'level',
      interval: '1h',
      points: [{ timestamp: from, value: 11 }],
    });
    const fine = await ask('interval=5m&sensor=level&aggregate=max');
    assert.deepEqual(
      fine.points,
      [0, 10, 20].map((minute) => ({
        timestamp: new Date(hourMs + minute * 60_000).toISOString(),
        value: 10 + minute / 10,
      })),
    );
    assert.deepEqual((await ask('sensor=humidity&aggregate=count')).points, [{ timestamp: from, value: 3 }]);
    assert.deepEqual((await ask('sensor=humidity&aggregate=sum')).points, [{ timestamp: from, value: 120 }]);
    assert.deepEqual((await ask('aggregate=min')).points, [{ timestamp: from, value: 10 }]);
    assert.deepEqual((await ask('aggregate=last')).points, [{ timestamp: from, value: 12 }]);
    assert.deepEqual((await ask('sensor=temperature')).points, []);
    assert.deepEqual((await ask('include=range')).points, [{ timestamp: from, value: 11, min: 10, max: 12 }]);
  });

  test('a bucket belongs to the range when its start does', async () => {
    const ask = async (fromMs: number, toMs: number) => {
      const query = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
      return (await api.get(`${devices}/silo-1/sensors/history?${query}`)).body.data.points.length;
    };
    assert.equal(await ask(hourMs, hourMs + 1), 1);
    assert.equal(await ask(hourMs - 1, hourMs), 0);
    assert.equal(await ask(hourMs + 1, hourMs + HOUR_MS), 0);
  });

  test('an implausible value is shown as bad, counted, and in no other aggregate', async () => {
    await api.post(devices, siloNamed('glitch'));
    const sent = [100, 99_999, 200].map((weight, n) => ({ ts: hourMs + n * 1_000, weight, humidity: 50 }));
    assert.equal((await api.post(`${devices}/glitch/telemetry`, sent)).body.data.stored, 3);
    await api.post(`${devices}/glitch/telemetry`, { ts: hourMs + 60_000, weight: -500 });
    const { level, humidity } = (await api.get(`${devices}/glitch/sensors`)).body.data;
    assert.deepEqual([level.actual, level.quality], [-500, 'bad']);
    assert.equal(humidity.current, 50);
    const query = `from=${new Date(hourMs).toISOString()}&to=${new Date(hourMs + HOUR_MS).toISOString()}`;
    const path = `${devices}/glitch/sensors/history?${query}`;
    const shown: Record<string, number> = {};
    for (const aggregate of AGGREGATES) {
      const { points } = (await api.get(`${path}&aggregate=${aggregate}`)).body.data;
      shown[aggregate] = points[0].value;
    }
    assert.deepEqual(shown, { avg: 15, min: 10, max: 20, last: 20, sum: 30, count: 2, bad_count: 2 });
    const csv = await api.get(`${path}&aggregate=bad_count&interval=5m`, { accept: 'text/csv' });
    assert.equal(csv.text, `timestamp,value\r\n${new Date(hourMs).toISOString()},2\r\n`);
  });

  test('a value that the device says is not valid is shown as bad until the next one, and raises an alert', async () => {
    await api.post(devices, siloNamed('overload'));
    const send = async (body: object) => (await api.post(`${devices}/overload/telemetry`, body)).status;
    const level = async () => (await api.get(`${devices}/overload/sensors`)).body.data.level;
    const ts = Date.now() - 2_000;
    assert.equal(await send({ ts, weight: 500, humidity: 40, bad: ['weight'] }), 200);
    assert.deepEqual([(await level()).actual, (await level()).quality], [500, 'bad']);
    const told = async () => {
      const { data } = (await api.get(`${devices}/overload/alerts`)).body;
      return data
        .map(({ type, threshold, message }: Record<string, unknown>) => `${type} ${threshold} ${message}`)
        .join();
    };
    await eventually(told, 'sensor_fault null Weight reads 500 kg, which the device says is not valid');
    assert.equal(await send({ ts: ts + 1_000, weight: 501 }), 200);
    assert.equal((await level()).quality, 'good');
    assert.equal(await send({ ts: ts + 1_500, weight: 501, bad: ['wieght'] }), 400);
    assert.equal((await level()).actual, 501);
  });

  test('history as CSV', async () => {
    const query = `from=${new Date(hourMs).toISOString()}&to=${new Date(hourMs + HOUR_MS).toISOString()}`;
    const csv = await api.get(`${devices}/silo-1/sensors/history?${query}`, { accept: 'text/csv' });
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    assert.equal(csv.text, `timestamp,value\r\n${new Date(hourMs).toISOString()},11\r\n`);
    const path = `${devices}/silo-1/sensors/history?${query}&include=range`;
    const range = await api.get(path, { accept: 'text/csv' });
    assert.equal(range.text, `timestamp,value,min,max\r\n${new Date(hourMs).toISOString()},11,10,12\r\n`);
  });

  for (const query of [
    'interval=2h',
    'sensor=weight',
    'aggregate=median',
    'include=everything',
    'from=yesterday',
    'to=2026-13-01T00:00:00Z',
    'colour=green',
    'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    'from=1990-01-01T00:00:00Z&interval=5m',
    'sensor=level&sensor=level',
  ]) {
    test(`history?${query} is refused`, async () => {
      const refused = await api.get(`${devices}/silo-1/sensors/history?${query}`);
      assert.equal(refused.status, 400);
      assert.equal(refused.body.error.code, 'invalid_input');
      assert.notEqual(refused.body.error.details.length, 0);
    });
  }

  for (const [name, body, path, message] of [
    [
      'a time in seconds',
      { ts: Math.floor(Date.now() / 1_000), weight: 1 },
      '/ts',
      /looks like seconds; send/,
    ],
    ['a time in nanoseconds', { ts: Date.now() * 1e6, weight: 1 }, '/ts', /looks like nanoseconds; send/],
    ['seconds with decimals', { ts: Date.now() / 1_000 + 0.25, weight: 1 }, '/ts', /whole number or a time/],
    ['a text for a number', { ts: Date.now(), weight: '1' }, '/weight', /must be a number/],
  ] as const) {
    test(`telemetry with ${name} is told what to send`, async () => {
      const refused = await api.post(`${devices}/quiet/telemetry`, body);
      assert.equal(refused.status, 400);
      assert.deepEqual(
        refused.body.error.details.map((fault: { path: string }) => fault.path),
        [path],
      );
      assert.match(refused.body.error.details[0].message, message);
    });
  }

  test('of a thousand wrong readings the first few are named', async () => {
    const body = Array.from({ length: 1_000 }, () => ({ ts: 1, weight: 1 }));
    const refused = await api.post(`${devices}/quiet/telemetry`, body);
    assert.deepEqual([refused.status, refused.body.error.details.length], [400, 20]);
  });

  for (const [name, body] of Object.entries({
    'no time': { weight: 1 },
    'no value': { ts: Date.now() },
    'a time to come': { ts: Date.now() + 3 * HOUR_MS, weight: 1 },
    'a time long past': { ts: '1990-01-01T00:00:00Z', weight: 1 },
    'an unknown channel': { ts: Date.now(), weight: 1, wind_speed: 3 },
    'a text for a number': { ts: Date.now(), weight: '1' },
    'a number out of any range': { ts: Date.now(), weight: 1e200 },
    'an empty list': [],
    'one bad reading among good ones': [
      { ts: Date.now(), weight: 1 },
      { ts: 0, weight: 1 },
    ],
  })) {
    test(`telemetry with ${name} is refused and changes nothing`, async () => {
      const before = (await api.get(`${devices}/quiet/sensors`)).text;
      const refused = await api.post(`${devices}/quiet/telemetry`, body);
      assert.equal(refused.status, 400, refused.text);
      assert.notEqual(refused.body.error.details.length, 0);
      assert.equal((await api.get(`${devices}/quiet/sensors`)).text, before);
    });
  }
});
