import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeService, siloNamed } from '@granary/testing/server/service';

describeService('configuration over HTTP', (api) => {
  const path = '/v1/siloscale/devices/silo-1/config';

  before(async () => {
    await api.post('/v1/siloscale/devices', siloNamed('silo-1'));
  });

  test('a new silo has a whole configuration', async () => {
    const { status, body, headers } = await api.get(path);
    assert.equal(status, 200);
    const parts = ['thresholds', 'operation_limits', 'maintenance', 'reporting', 'alarms', 'rules'];
    assert.deepEqual(Object.keys(body.data), parts);
    assert.deepEqual(body.data.reporting, { interval_s: 10, offline_delay_s: 30 });
    assert.deepEqual(body.data.alarms, { dead_band: 1, on_delay_s: 0, off_delay_s: 5 });
    assert.deepEqual(body.data.thresholds, { low_level: 20, high_level: 90, critical_level: 10 });
    assert.equal(body.data.operation_limits.rate_unit, 'kg/min');
    assert.match(headers.get('etag') ?? '', /^"\d+"$/);
  });

  test('a partial change answers the whole and bumps the tag', async () => {
    const before = await api.get(path);
    const changed = await api.put(path, { thresholds: { low_level: 25, high_level: 85 } });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body.data, {
      ...before.body.data,
      thresholds: { low_level: 25, high_level: 85, critical_level: 10 },
    });
    assert.notEqual(changed.headers.get('etag'), before.headers.get('etag'));
    const after = await api.get(path);
    assert.deepEqual(after.body, changed.body);
    assert.equal(after.headers.get('etag'), changed.headers.get('etag'));
  });

  test('lists its versions with their callers, newest first and in pages', async () => {
    const silo = '/v1/siloscale/devices/silo-versions';
    await api.post('/v1/siloscale/devices', siloNamed('silo-versions'), { 'x-actor': 'Ada' });
    await api.put(`${silo}/config`, { thresholds: { low_level: 25 } }, { 'x-actor': 'Grace' });
    const changed = await api.put(`${silo}/config`, { thresholds: { low_level: 30 } });
    const [key] = (await api.get('/v1/keys')).body.data;
    const { body } = await api.get(`${silo}/config/versions?limit=2`);
    const [newest, older] = body.data;
    const { key_id, name: key_name } = key;
    assert.deepEqual(newest, {
      version: 3,
      at: newest.at,
      actor: { key_id, key_name, actor: null },
      configuration: changed.body.data,
    });
    assert.equal(changed.headers.get('etag'), '"3"');
    assert.ok(Math.abs(Date.parse(newest.at) - Date.now()) < 60_000);
    assert.deepEqual(
      [older.version, older.actor.actor, older.configuration.thresholds.low_level],
      [2, 'Grace', 25],
    );
    const rest = (await api.get(`${silo}/config/versions?cursor=${body.page.next_cursor}`)).body;
    assert.deepEqual(
      rest.data.map(({ version, actor }: { version: number; actor: { actor: string } }) => [
        version,
        actor.actor,
      ]),
      [[1, 'Ada']],
    );
    assert.equal(rest.page.next_cursor, null);
    const unknown = await api.get('/v1/siloscale/devices/silo-unknown/config/versions');
    assert.equal(unknown.body.error.code, 'device_not_found');
    const notANumber = Buffer.from('a').toString('base64url');
    assert.equal((await api.get(`${silo}/config/versions?cursor=${notANumber}`)).status, 400);
  });

  test('an applied document makes versions of its caller, too', async () => {
    const device = { ...siloNamed('silo-applied'), profile: 'silo_scale' };
    const apply = (configuration: object) =>
      api.post('/v1/apply', { version: 1, devices: [{ ...device, configuration }] }, { 'x-actor': 'Ada' });
    for (const low_level of [21, 22, 22]) {
      const applied = await apply({ thresholds: { low_level } });
      assert.equal(applied.status, 200, JSON.stringify(applied.body));
    }
    const { data } = (await api.get('/v1/siloscale/devices/silo-applied/config/versions')).body;
    assert.deepEqual(
      data.map(({ version, actor, configuration }: ReturnType<typeof JSON.parse>) => [
        version,
        actor.actor,
        configuration.thresholds.low_level,
      ]),
      [
        [2, 'Ada', 22],
        [1, 'Ada', 21],
      ],
    );
  });

  test('If-Match protects what somebody else changed', async () => {
    const tag = (await api.get(path)).headers.get('etag') ?? '';
    const change = { operation_limits: { max_feed_rate: 50 } };
    assert.equal((await api.put(path, change, { 'if-match': tag })).status, 200);
    const stale = await api.put(path, { operation_limits: { max_feed_rate: 60 } }, { 'if-match': tag });
    assert.equal(stale.status, 412);
    assert.equal(stale.body.error.code, 'stale_version');
    assert.equal((await api.get(path)).body.data.operation_limits.max_feed_rate, 50);
    assert.equal((await api.put(path, change, { 'if-match': '*' })).status, 200);
    assert.equal((await api.put(path, change, { 'if-match': 'W/"1"' })).status, 412);
    assert.equal((await api.put(path, change, { 'if-match': 'nonsense' })).status, 400);
  });

  for (const [body, status] of [
    [{ thresholds: { low_level: 90 } }, 400],
    [{ thresholds: { critical_level: 50 } }, 422],
    [{ thresholds: { low_level: -1 } }, 400],
    [{ thresholds: { low_level: 101 } }, 400],
    [{ thresholds: { low_level: '20' } }, 400],
    [{ thresholds: { low_level: null } }, 400],
    [{ thresholds: { lowlevel: 20 } }, 400],
    [{ thresholds: 5 }, 400],
    [{ operation_limits: { max_feed_rate: 0 } }, 400],
    [{ operation_limits: { rate_unit: 't/h' } }, 400],
    [{ maintenance: { next_scheduled: 'soon' } }, 400],
    [{ maintenance: { interval_hours: 0 } }, 400],
    [{ reporting: { interval_s: 0 } }, 400],
    [{ reporting: { interval_s: 86_401 } }, 400],
    [{ reporting: { offline_delay_s: -1 } }, 400],
    [{ reporting: { interval: 5 } }, 400],
    [{ alarms: { dead_band: -1 } }, 400],
    [{ alarms: { dead_band: 11 } }, 400],
    [{ alarms: { on_delay_s: -0.1 } }, 400],
    [{ alarms: { off_delay_s: '5' } }, 400],
    [{ rules: {} }, 400],
    [{ rules: [{ sensor_id: 'temperature', severity: 'warning' }] }, 400],
    [{ rules: [{ sensor_id: 'temperature', severity: 'warning', above: 30, below: 5 }] }, 400],
    [{ rules: [{ sensor_id: 'temperature', severity: 'urgent', above: 30 }] }, 400],
    [{ rules: [{ sensor_id: 'temperature', severity: 'warning', above: '30' }] }, 400],
    [{ rules: [{ sensor_id: 'temperature', severity: 'warning', above: 300 }] }, 400],
    [{ rules: [{ sensor_id: 'temperature', severity: 'warning', above: 30, dead_band: -1 }] }, 400],
    [{ rules: [{ sensor_id: 'temperature', severity: 'warning', above: 30, on_delay_s: 86_401 }] }, 400],
    [{ rules: [{ sensor_id: 'temperature', severity: 'warning', above: 30, message: '' }] }, 400],
    [{ rules: [{ sensor_id: 'co2', severity: 'warning', above: 30 }] }, 400],
    [{ colour: 'green' }, 400],
    [[], 400],
    ['text', 400],
  ] as const) {
    test(`${JSON.stringify(body)} is refused with ${status} and changes nothing`, async () => {
      const before = await api.get(path);
      const refused = await api.put(path, body);
      assert.equal(refused.status, status, refused.text);
      assert.notEqual(refused.body.error.details.length, 0);
      const after = await api.get(path);
      assert.deepEqual(after.body, before.body);
      assert.equal(after.headers.get('etag'), before.headers.get('etag'));
    });
  }

  test('twenty changes at once under one tag: one wins', async () => {
    const tag = (await api.get(path)).headers.get('etag') ?? '';
    const changes = Array.from({ length: 20 }, (_, index) =>
      api.put(path, { operation_limits: { max_feed_rate: 100 + index } }, { 'if-match': tag }),
    );
    const statuses = (await Promise.all(changes)).map((answer) => answer.status).sort();
    assert.deepEqual(statuses, [200, ...Array(19).fill(412)]);
  });
});
