import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeService, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

describeService('devices over HTTP', (api) => {
  test('a registered silo is listed, shown, and given credentials once', async () => {
    const registered = await api.post('/v1/siloscale/devices', siloNamed('silo-1'));
    assert.equal(registered.status, 200);
    assert.equal(registered.body.success, true);
    const { credentials, ...detail } = registered.body.data;
    assert.equal(credentials.username, 'silo-1');
    assert.match(credentials.secret, /^\w{32}$/);
    assert.deepEqual(detail, {
      device_id: 'silo-1',
      name: 'Silo silo-1',
      model: 'GS-100',
      profile: 'silo_scale',
      status: 'offline',
      location: { facility: 'north', zone: 'a' },
      last_seen: null,
      firmware_version: '1.2.3',
      clock_offset_s: null,
      refused_readings: null,
      capacity: { max: 1_000, unit: 'kg' },
      sensors: [
        { type: 'level', sensor_id: 'silo-1-level', status: 'inactive' },
        { type: 'temperature', sensor_id: 'silo-1-temperature', status: 'inactive' },
        { type: 'humidity', sensor_id: 'silo-1-humidity', status: 'inactive' },
      ],
    });
    const shown = await api.get('/v1/siloscale/devices/silo-1');
    assert.deepEqual(shown.body.data, detail);
    const listed = await api.get('/v1/siloscale/devices');
    const { device_id, name, model, profile, status, location, last_seen } = detail;
    const summary = { device_id, name, model, profile, status, location, last_seen };
    assert.deepEqual(listed.body, { success: true, data: [summary], page: { next_cursor: null } });
    assert.equal(JSON.stringify([shown.body, listed.body]).includes(credentials.secret), false);
  });

  test('a taken id is refused and changes nothing', async () => {
    await api.post('/v1/siloscale/devices', siloNamed('taken'));
    const again = await api.post('/v1/siloscale/devices', { ...siloNamed('taken'), name: 'other' });
    assert.equal(again.status, 409);
    assert.equal(again.body.error.code, 'device_exists');
    const { device_id, name, model, location } = siloNamed('taken');
    const asField = await api.post('/v1/fielddevice/devices', { device_id, name, model, location });
    assert.equal(asField.status, 409);
    assert.equal((await api.get('/v1/siloscale/devices/taken')).body.data.name, 'Silo taken');
  });

  test('every fault of a registration is named and nothing is registered', async () => {
    const wrong = { ...siloNamed('wrong'), name: '', colour: 'green', capacity: { max: -1, unit: 'kg' } };
    const refused = await api.post('/v1/siloscale/devices', wrong);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error.code, 'invalid_input');
    const paths = refused.body.error.details.map((fault: { path: string }) => fault.path);
    assert.deepEqual(paths.sort(), ['/capacity/max', '/colour', '/name']);
    assert.equal((await api.get('/v1/siloscale/devices/wrong')).status, 404);
  });

  test('a field device lives in its own group', async () => {
    const { capacity: _capacity, ...rover } = siloNamed('rover-1');
    assert.equal((await api.post('/v1/fielddevice/devices', siloNamed('rover-0'))).status, 400);
    assert.equal((await api.post('/v1/fielddevice/devices', rover)).status, 200);
    assert.equal((await api.get('/v1/fielddevice/devices/rover-1')).body.data.name, 'Silo rover-1');
    assert.equal((await api.get('/v1/siloscale/devices/rover-1')).status, 404);
  });

  test('pages follow each other without gap or repetition', async () => {
    for (const name of ['page-c', 'page-a', 'page-b'])
      await api.post('/v1/siloscale/devices', siloNamed(name));
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await api.get(`/v1/siloscale/devices?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      assert.ok(page.body.data.length <= 2);
      ids.push(...page.body.data.map((device: { device_id: string }) => device.device_id));
      cursor = page.body.page.next_cursor;
    }
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.ok(['page-a', 'page-b', 'page-c'].every((id) => ids.includes(id)));
  });

  for (const query of [
    'limit=0',
    'limit=1001',
    'limit=ten',
    'limit=-1',
    'cursor=!',
    'cursor=',
    'page=2',
    'limit=1&limit=2',
  ]) {
    test(`?${query} is refused`, async () => {
      assert.equal((await api.get(`/v1/siloscale/devices?${query}`)).status, 400);
    });
  }

  test('one of the other group is said to be there', async () => {
    await api.post('/v1/fielddevice/devices', fieldDeviceNamed('astray'));
    const astray = await api.get('/v1/siloscale/devices/astray');
    assert.deepEqual([astray.status, astray.body.error.code], [404, 'device_not_found']);
    assert.match(astray.body.error.message, /it is one of the field devices/);
    const { key } = (await api.post('/v1/keys', { name: 'k', scopes: ['read'], facilities: ['elsewhere'] }))
      .body.data;
    const hidden = await api.as(key).get('/v1/siloscale/devices/astray');
    assert.match(hidden.body.error.message, /^there is no device "[\w-]+", or this key may not see it$/);
  });

  test('new credentials replace the old ones', async () => {
    const first = await api.post('/v1/siloscale/devices', siloNamed('silo-2'));
    const second = await api.post('/v1/siloscale/devices/silo-2/credentials');
    assert.equal(second.status, 200);
    assert.equal(second.body.data.username, 'silo-2');
    assert.notEqual(second.body.data.secret, first.body.data.credentials.secret);
    assert.equal((await api.post('/v1/siloscale/devices/nobody/credentials')).status, 404);
  });
});
