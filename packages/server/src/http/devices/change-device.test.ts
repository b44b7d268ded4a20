import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { EventReader } from '@granary/testing/server/event-reader';
import { eventually } from '@granary/testing/server/eventually';
import { describeService, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const FIELD = '/v1/fielddevice/devices';

describeService('changing a device over HTTP', (api) => {
  const patch = (path: string, body: unknown, headers = {}) =>
    api.raw('PATCH', path, {
      headers: { ...api.authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  test('answers the whole device with its ETag, which registration and detail show too', async () => {
    const registered = await api.post(SILOS, siloNamed('etag'));
    assert.equal(registered.headers.get('etag'), '"1"');
    const changed = await patch(`${SILOS}/etag`, { name: 'Reserve', location: { zone: 'b' } });
    assert.equal(changed.status, 200);
    assert.equal(changed.headers.get('etag'), '"2"');
    assert.partialDeepStrictEqual(changed.body.data, {
      name: 'Reserve',
      location: { facility: 'north', zone: 'b' },
      capacity: { max: 1_000, unit: 'kg' },
    });
    const shown = await api.get(`${SILOS}/etag`);
    assert.deepEqual([shown.headers.get('etag'), shown.body.data], ['"2"', changed.body.data]);
  });

  test('refuses a change of an outdated version, and changes nothing', async () => {
    await api.post(FIELD, fieldDeviceNamed('stale'));
    const path = `${FIELD}/stale`;
    assert.equal((await patch(path, { name: 'First' }, { 'if-match': '"1"' })).status, 200);
    const second = await patch(path, { name: 'Second' }, { 'if-match': '"1"' });
    assert.deepEqual([second.status, second.body.error.code], [412, 'stale_version']);
    assert.equal((await patch(path, { name: 'Second' }, { 'if-match': 'W/"2"' })).status, 412);
    assert.equal((await patch(path, { name: 'Second' }, { 'if-match': '2' })).status, 400);
    assert.equal((await api.get(path)).body.data.name, 'First');
    assert.equal((await patch(path, { name: 'Third' }, { 'if-match': '*' })).status, 200);
  });

  test('refuses input that is not valid, and changes nothing', async () => {
    await api.post(FIELD, fieldDeviceNamed('invalid'));
    await api.post(SILOS, siloNamed('invalid-silo'));
    for (const body of [
      { name: '' },
      { device_id: 'other' },
      { location: { facility: 'x', street: 'y' } },
      { capacity: { max: 5, unit: 'kg' } },
      { name: 'two\nlines' },
      [],
    ]) {
      assert.equal((await patch(`${FIELD}/invalid`, body)).status, 400, JSON.stringify(body));
    }
    const renamed = await patch(`${FIELD}/invalid`, { device_id: 'other' });
    assert.match(
      renamed.body.error.message,
      /^the id of a device cannot be changed; register another device/,
    );
    for (const capacity of [{ max: 0, unit: 'kg' }, { max: 5 }, { max: 5, unit: 't' }, null]) {
      assert.equal((await patch(`${SILOS}/invalid-silo`, { capacity })).status, 400);
    }
    assert.equal((await api.get(`${FIELD}/invalid`)).headers.get('etag'), '"1"');
  });

  test('a key that is limited to a facility cannot move a device out of it, and loses one that is moved', async () => {
    await api.post(SILOS, siloNamed('moved', 'hill'));
    await api.post(SILOS, siloNamed('stays', 'hill'));
    const issued = await api.post('/v1/keys', {
      name: 'hill',
      scopes: ['read', 'admin'],
      facilities: ['hill'],
    });
    const hill = api.as(issued.body.data.key);
    const events = await EventReader.open(hill, { query: '?device_id=moved,stays' });
    const away = await hill.patch(`${SILOS}/moved`, { location: { facility: 'dale' } });
    assert.deepEqual([away.status, away.body.error.code], [403, 'forbidden']);
    assert.equal((await hill.patch(`${SILOS}/moved`, { name: 'Here' })).status, 200);
    assert.equal((await events.next())?.data.data.name, 'Here');
    assert.equal((await patch(`${SILOS}/moved`, { location: { facility: 'dale' } })).status, 200);
    assert.equal((await hill.get(`${SILOS}/moved`)).status, 404);
    assert.equal((await hill.get(`${SILOS}/moved/sensors`)).status, 404);
    assert.equal((await patch(`${SILOS}/moved`, { name: 'There' })).status, 200);
    await patch(`${SILOS}/stays`, { name: 'Last' });
    assert.equal((await events.next())?.data.data.name, 'Last');
    events.close();
  });

  test('a silo checks weights by its new capacity from then on', async () => {
    const silo = await startSilo(api, 'enlarged');
    const levelOf = async () => (await api.get(`${silo.path}/sensors`)).body.data.level;
    assert.equal((await levelOf()).current, 50);
    await patch(silo.path, { capacity: { max: 10_000, unit: 'kg' } });
    assert.equal((await levelOf()).current, 5);
    await eventually(async () => (await api.get(`${silo.path}/link`)).body.data.connected, false);
    await silo.reconnect();
    await silo.weigh(9_000);
    await eventually(async () => (await levelOf()).current, 90);
    await silo.leave();
  });
});
