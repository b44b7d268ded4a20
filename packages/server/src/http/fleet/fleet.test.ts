import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ALERTS_ACKNOWLEDGED_MAX } from '@granary/contract/fleet';
import { type ScriptedRover, startRover } from '@granary/testing/server/devices/scripted-rover';
import { type ScriptedSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { TWO_WAYPOINTS } from '@granary/testing/server/missions';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

const LISTS = ['devices', 'alerts', 'operations', 'missions', 'commands'] as const;

interface Row {
  readonly device_id: string;
}

/** Two silos with an alert each and one rover; `silo-n` feeds, the rover has a mission and a command. */
describeService('views of all devices', (api) => {
  let silos: ScriptedSilo[] = [];
  let rover: ScriptedRover;
  let limited: Api;
  const idsOf = (rows: readonly Row[]) => [...new Set(rows.map(({ device_id }) => device_id))].sort();
  const list = async (path: string, as = api): Promise<Row[]> => (await as.get(`/v1/${path}`)).body.data;

  before(async () => {
    silos = [await startSilo(api, 'silo-n'), await startSilo(api, 'silo-m')];
    rover = await startRover(api, 'rover-n');
    await api.post('/v1/siloscale/devices', siloNamed('silo-s', 'south'));
    await api.post(`${silos[0]?.path}/operations/feed`, { amount: 10 });
    await api.post(`${rover.path}/remote/command`, { command: 'hold' });
    await api.post(`${rover.path}/missions`, TWO_WAYPOINTS);
    for (const silo of silos) await silo.weigh(150);
    await api.post('/v1/siloscale/devices/silo-s/telemetry', { ts: Date.now(), weight: 150 });
    await eventually(async () => idsOf(await list('alerts?type=low_level')).join(), 'silo-m,silo-n,silo-s');
    const wanted = { name: 'south', scopes: ['read', 'operate'], facilities: ['south'] };
    limited = api.as((await api.post('/v1/keys', wanted)).body.data.key);
  });

  after(async () => {
    for (const device of [...silos, rover]) await device.leave();
  });

  test('devices of every profile are listed by id, filtered, and with their values on request', async () => {
    assert.deepEqual(idsOf(await list('devices')), ['rover-n', 'silo-m', 'silo-n', 'silo-s']);
    assert.deepEqual(idsOf(await list('devices?profile=rover')), ['rover-n']);
    assert.deepEqual(idsOf(await list('devices?facility=south')), ['silo-s']);
    assert.deepEqual(idsOf(await list('devices?zone=nowhere')), []);
    assert.deepEqual(idsOf(await list('devices?status=online&q=SILO')), ['silo-m', 'silo-n', 'silo-s']);
    assert.deepEqual(idsOf(await list('devices?q=%25')), []);
    const [row] = (await api.get('/v1/devices?include=readings&q=silo-n')).body.data;
    assert.deepEqual([row.group, row.readings.weight.value, row.readings.level.value], ['silo', 150, 15]);
    assert.equal((await api.get('/v1/devices')).text.includes('readings'), false);
  });

  test('jobs are listed with their devices, newest first', async () => {
    assert.deepEqual(idsOf(await list('operations')), ['silo-n']);
    assert.deepEqual(idsOf(await list('commands?facility=north')), ['rover-n']);
    assert.deepEqual(idsOf(await list('missions?device_id=rover-n')), ['rover-n']);
    assert.deepEqual(await list('operations?status=completed'), []);
    assert.deepEqual(idsOf(await list('operations?status=unfinished')), ['silo-n']);
    assert.deepEqual(idsOf(await list('missions?status=unfinished&facility=north')), ['rover-n']);
    assert.deepEqual(await list('missions?facility=south'), []);
    const [alert] = (await api.get('/v1/alerts?severity=warning&limit=1')).body.data;
    const single = await api.get(`/v1/siloscale/devices/${alert.device_id}/alerts/${alert.alert_id}`);
    const { device_id, device_name, location, ...record } = alert;
    assert.deepEqual(record, single.body.data);
    const device = (await api.get(`/v1/siloscale/devices/${device_id}`)).body.data;
    assert.deepEqual([device_name, location], [device.name, device.location]);
    for (const kind of ['operations', 'commands', 'missions']) {
      const [job] = (await api.get(`/v1/${kind}`)).body.data;
      assert.equal(job.location.facility, 'north', kind);
      assert.ok(job.device_name.length > 0, kind);
    }
  });

  test('pages follow each other, and no cursor means the end', async () => {
    for (const path of ['devices', 'alerts?status=all&', 'alerts?facility=north&status=all&']) {
      const first = path.includes('?') ? path : `${path}?`;
      const whole = await list(first);
      const found: Row[] = [];
      let cursor = '';
      do {
        const { body } = await api.get(`/v1/${first}limit=1${cursor}`);
        found.push(...body.data);
        cursor = body.page.next_cursor === null ? '' : `&cursor=${body.page.next_cursor}`;
      } while (cursor !== '');
      assert.deepEqual(found, whole, path);
    }
  });

  for (const name of LISTS) {
    test(`${name} refuse what they do not know, and say where`, async () => {
      for (const [query, path] of [
        ['status=sideways', '/status'],
        ['limit=0', '/limit'],
        ['cursor=%25', '/cursor'],
        ['facility=', '/facility'],
        ['facility=a%0Ab', '/facility'],
        ['colour=red', ''],
      ] as const) {
        const { status, body } = await api.get(`/v1/${name}?${query}`);
        assert.deepEqual([status, body.error.code], [400, 'invalid_input'], query);
        if (path !== '') assert.equal(body.error.details[0].path, path, query);
      }
    });

    test(`${name} show a limited key nothing beyond its limits`, async () => {
      for (const query of ['', '?facility=north', '?facility=south', '?limit=1']) {
        const rows = await list(`${name}${query}`, limited);
        assert.ok(
          rows.every(({ device_id }) => device_id === 'silo-s'),
          query,
        );
      }
      const { key } = (await api.post('/v1/keys', { name: 'd', scopes: ['read'], device_ids: ['silo-s'] }))
        .body.data;
      assert.ok((await list(name, api.as(key))).every(({ device_id }) => device_id === 'silo-s'));
    });
  }

  test('a device outside the limits cannot be asked for, and an unknown filter value is refused', async () => {
    assert.deepEqual(await list('alerts?device_id=silo-n', limited), []);
    for (const query of ['severity=loud', 'type=weather', 'device_id=a%2Fb']) {
      assert.equal((await api.get(`/v1/alerts?${query}`)).status, 400, query);
    }
    for (const query of ['profile=submarine', 'include=everything', `q=${'x'.repeat(201)}`, 'q=']) {
      assert.equal((await api.get(`/v1/devices?${query}`)).status, 400, query);
    }
  });

  test('the overview counts and names what needs attention, within the limits of the key', async () => {
    const { data } = (await api.get('/v1/overview')).body;
    assert.deepEqual(data.devices.by_profile, { rover: 1, silo_scale: 3, weather_station: 0 });
    assert.ok(data.open_alerts.warning.unacknowledged >= 3);
    assert.ok(data.attention.some((item: Row) => item.device_id === 'silo-n'));
    const south = (await limited.get('/v1/overview')).body.data;
    assert.equal(south.devices.total, 1);
    assert.deepEqual(idsOf(south.attention), ['silo-s']);
    const { key } = (await api.post('/v1/keys', { name: 'w', scopes: ['operate'] })).body.data;
    for (const name of [...LISTS, 'overview']) {
      assert.equal((await api.as(key).get(`/v1/${name}`)).status, 403, name);
    }
  });

  test('many alerts are acknowledged at once, those of others are not found', async () => {
    const path = '/v1/alerts/acknowledge';
    const alerts = (await api.get('/v1/alerts?type=low_level')).body.data;
    const ids: string[] = alerts.map(({ alert_id }: { alert_id: string }) => alert_id);
    const outcomes = (body: { data: { results: { outcome: string }[] } }) =>
      body.data.results.map(({ outcome }) => outcome);
    const own = ids[alerts.findIndex(({ device_id }: Row) => device_id === 'silo-s')];
    for (const [field, wrong] of [
      ['alert_ids', { alert_ids: [], acknowledged_by: 'Ada' }],
      ['alert_ids', { alert_ids: [own, own], acknowledged_by: 'Ada' }],
      ['alert_ids', { alert_ids: Array(ALERTS_ACKNOWLEDGED_MAX + 1).fill('al_1'), acknowledged_by: 'Ada' }],
      ['acknowledged_by', { alert_ids: ids }],
    ] as const) {
      const { status, body } = await api.post(path, wrong);
      assert.equal(status, 400);
      assert.ok(body.error.details[0].path.startsWith(`/${field}`), JSON.stringify(body.error));
    }
    const first = await limited.post(path, { alert_ids: ids, acknowledged_by: 'Ada' });
    assert.deepEqual(
      outcomes(first.body),
      ids.map((id) => (id === own ? 'acknowledged' : 'not_found')),
    );
    const wanted = { alert_ids: [...ids, 'al_none'], acknowledged_by: 'Bob', note: 'known' };
    const headers = { 'idempotency-key': 'many' };
    const all = await api.post(path, wanted, headers);
    assert.deepEqual(outcomes(all.body), [...ids.map(() => 'acknowledged'), 'not_found']);
    const people = all.body.data.results.map(
      ({ alert }: { alert: { acknowledged_by: string } | null }) => alert?.acknowledged_by,
    );
    assert.deepEqual(people, [...ids.map((id) => (id === own ? 'Ada' : 'Bob')), undefined]);
    const repeated = await api.post(path, wanted, headers);
    assert.equal(repeated.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(repeated.body, all.body);
    assert.deepEqual(await list('alerts?type=low_level&status=active'), []);
    const { key } = (await api.post('/v1/keys', { name: 'r', scopes: ['read'] })).body.data;
    assert.equal((await api.as(key).post(path, wanted)).status, 403);
  });
});
