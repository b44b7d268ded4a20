import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { toIso } from '@granary/contract/time';
import { type Api, describeService, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';
import { EXPORTS_PER_KEY_MAX } from '../background/exports/export-runner.ts';

const FROM_MS = Date.now() - 3_600_000;
const at = (second: number): string => toIso(FROM_MS + second * 1_000);
const DAY = `from=${at(0)}&to=${at(1_000)}`;
const HEADER = 'device_id,sensor,timestamp,value,unit,quality';

const linesOf = (text: string): string[] => text.split('\r\n').slice(0, -1);

describeService('the export of raw readings', (api) => {
  let south: Api;
  before(async () => {
    await api.post('/v1/siloscale/devices', siloNamed('silo-1'));
    await api.post('/v1/siloscale/devices', siloNamed('silo-2', 'south'));
    await api.post('/v1/fielddevice/devices', fieldDeviceNamed('-1-1'));
    const sensors = [{ sensor_id: 'co2', type: 'co2', unit: '=1+1,"x"', precision: 1 }];
    await api.patch('/v1/siloscale/devices/silo-2', { sensors });
    const send = (path: string, body: unknown) => api.post(`/v1/${path}/telemetry`, body);
    await send('siloscale/devices/silo-1', [
      { ts: at(2), weight: 250.5, humidity: 40 },
      { ts: at(1), weight: 500, temperature: 11.5 },
      { ts: at(3), weight: 100, temperature: 900 },
    ]);
    await send('siloscale/devices/silo-2', { ts: at(1), weight: 10, sensors: { co2: 412.5 } });
    await send('fielddevice/devices/-1-1', {
      ts: at(2),
      battery_level: 81.5,
      latitude: 48.2000001,
      longitude: 16,
    });
    const wanted = { name: 'south', scopes: ['read'], facilities: ['south'] };
    south = api.as((await api.post('/v1/keys', wanted)).body.data.key);
  });

  test('has every value of every device in the order of time, as CSV', async () => {
    const { status, text, headers } = await api.get(`/v1/readings?${DAY}`);
    assert.equal(status, 200, text);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.deepEqual(linesOf(text), [
      HEADER,
      `silo-1,weight,${at(1)},500,kg,good`,
      `silo-1,temperature,${at(1)},11.5,celsius,good`,
      `silo-2,weight,${at(1)},10,kg,good`,
      `silo-2,co2,${at(1)},412.5,"'=1+1,""x""",good`,
      `silo-1,weight,${at(2)},250.5,kg,good`,
      `silo-1,humidity,${at(2)},40,percent,good`,
      `'-1-1,latitude,${at(2)},48.2000001,degree,good`,
      `'-1-1,longitude,${at(2)},16,degree,good`,
      `'-1-1,battery_level,${at(2)},81.5,percent,good`,
      `silo-1,weight,${at(3)},100,kg,good`,
      `silo-1,temperature,${at(3)},900,celsius,bad`,
    ]);
  });

  test('and as JSON, one object per line, by parameter or by header', async () => {
    const query = `/v1/readings?${DAY}&device_id=silo-2&sensor=co2`;
    const expected = { device_id: 'silo-2', sensor: 'co2', timestamp: at(1), value: 412.5, quality: 'good' };
    for (const answer of [
      await api.get(`${query}&format=ndjson`),
      await api.get(query, { accept: 'application/x-ndjson' }),
      await api.get(`${query}&format=ndjson`, { accept: 'text/csv' }),
    ]) {
      assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
      assert.ok(answer.text.endsWith('}\n'));
      assert.deepEqual(JSON.parse(answer.text), { ...expected, unit: '=1+1,"x"' });
    }
  });

  test('is limited to the devices, sensors and times of the query', async () => {
    const count = async (query: string) => linesOf((await api.get(`/v1/readings?${query}`)).text).length - 1;
    assert.equal(await count(`${DAY}&facility=south`), 2);
    assert.equal(await count(`${DAY}&zone=b`), 0);
    assert.equal(await count(`${DAY}&profile=rover`), 3);
    assert.equal(await count(`${DAY}&device_id=silo-1,silo-2&sensor=weight`), 4);
    assert.equal(await count(`${DAY}&sensor=weight,battery_level`), 5);
    assert.equal(await count(`from=${at(2)}&to=${at(3)}`), 5);
    assert.equal(await count(`from=1970-01-01T00:00:00Z&to=${at(2)}`), 4);
    assert.equal(await count(''), 11);
  });

  test('shows the contents of a silo in kg or in percent', async () => {
    const values = async (query: string) =>
      linesOf((await api.get(`/v1/readings?${DAY}&device_id=silo-1&${query}`)).text)
        .slice(1)
        .map((line) =>
          line
            .split(',')
            .filter((_, column) => [1, 3, 4].includes(column))
            .join(' '),
        );
    assert.deepEqual(await values('sensor=level'), [
      'level 50 percent',
      'level 25.05 percent',
      'level 10 percent',
    ]);
    assert.deepEqual(await values('sensor=level&unit=kg'), [
      'level 500 kg',
      'level 250.5 kg',
      'level 100 kg',
    ]);
    assert.equal((await values('unit=percent'))[0], 'level 50 percent');
  });

  test('stays within the limits of the key', async () => {
    const { text } = await south.get(`/v1/readings?${DAY}`);
    assert.deepEqual(
      new Set(
        linesOf(text)
          .slice(1)
          .map((line) => line.split(',', 1)[0]),
      ),
      new Set(['silo-2']),
    );
    assert.equal(
      (await south.get(`/v1/readings?${DAY}&device_id=silo-1`)).body.error.code,
      'device_not_found',
    );
    const { key } = (await api.post('/v1/keys', { name: 'o', scopes: ['operate'] })).body.data;
    assert.equal((await api.as(key).get('/v1/readings')).status, 403);
  });

  test('refuses what it cannot mean, and says where', async () => {
    for (const [query, path] of [
      ['sensor=colour', '/sensor'],
      ['sensor=a,,b', '/sensor'],
      ['device_id=a%2Fb', '/device_id'],
      ['unit=t', '/unit'],
      ['format=xlsx', '/format'],
      ['from=yesterday', '/from'],
      [`from=${at(2)}&to=${at(2)}`, '/from'],
      ['profile=submarine', '/profile'],
    ] as const) {
      const { status, body } = await api.get(`/v1/readings?${query}`);
      assert.deepEqual(
        [status, body.error.code, body.error.details[0].path],
        [400, 'invalid_input', path],
        query,
      );
    }
    assert.equal((await api.get('/v1/readings?device_id=silo-9')).body.error.code, 'device_not_found');
    const head = { method: 'HEAD', headers: api.authorization };
    assert.equal((await fetch(`${api.started.httpUrl}/v1/readings`, head)).status, 405);
  });
});

const READINGS = 40_000;
const PER_MESSAGE = 1_000;

describeService('a long export', (api) => {
  const first = FROM_MS - READINGS;
  const query = `/v1/readings?from=${toIso(first)}&to=${toIso(FROM_MS)}`;
  before(async () => {
    await api.post('/v1/siloscale/devices', siloNamed('silo-1'));
    for (let sent = 0; sent < READINGS; sent += PER_MESSAGE) {
      const readings = Array.from({ length: PER_MESSAGE }, (_, index) => ({
        ts: first + sent + index,
        weight: 500,
        temperature: 20,
        humidity: 50,
      }));
      await api.post('/v1/siloscale/devices/silo-1/telemetry', readings);
    }
  });

  const open = (headers = api.authorization) => {
    const abort = new AbortController();
    const answer = fetch(api.started.httpUrl + query, { headers, signal: abort.signal });
    return { abort, answer };
  };

  test('has every value', async () => {
    const { text } = await api.get(query);
    assert.equal(linesOf(text).length - 1, READINGS * 3);
  });

  test('only so many run at once; one that is abandoned makes room', async () => {
    const running = Array.from({ length: EXPORTS_PER_KEY_MAX }, () => open());
    for (const { answer } of running) assert.equal((await answer).status, 200);
    const refused = await api.get(query);
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'export_limit_reached']);
    assert.equal(refused.headers.get('retry-after'), '5');
    for (const { abort } of running) abort.abort();
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await api.get(`${query}&sensor=weight`)).status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail('there was no room again');
  });

  test('is cut off, visibly, when its key ends', async () => {
    const { key, key_id } = (await api.post('/v1/keys', { name: 'short', scopes: ['read'] })).body.data;
    const { answer } = open({ authorization: `Bearer ${key}` });
    const response = await answer;
    const reader = response.body?.getReader();
    await reader?.read();
    await api.delete(`/v1/keys/${key_id}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await assert.rejects(async () => {
      while ((await reader?.read())?.done === false);
    });
  });
});
