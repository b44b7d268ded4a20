import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { type Api, describeService, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

const HEAD = 'device_id,profile,name,model,facility,zone,capacity_kg,label.product';
const rowOf = (id: string, capacity = '20000') =>
  `${id},silo_scale,"Silo, ${id}",GS-1,north,yard,${capacity},rye`;
const ROWS = 10_000;

interface Listed {
  readonly device_id: string;
  readonly labels?: object;
}

describeService('labels, and the same for many devices', (api) => {
  const idsOf = async (query: string, as: Api = api) =>
    (await as.get(`/v1/devices?limit=1000${query}`)).body.data.map(({ device_id }: Listed) => device_id);
  const limitedTo = async (facilities: readonly string[], scopes = ['read', 'admin']) => {
    const { body } = await api.post('/v1/keys', { name: 'limited', scopes, facilities });
    return api.as(body.data.key);
  };
  const postCsv = (text: string, query = '', more = {}) =>
    api.raw('POST', `/v1/devices/import${query}`, {
      headers: { ...api.authorization, 'content-type': 'text/csv', ...more },
      body: text,
    });

  test('devices have labels and are found by them', async () => {
    const labels = { season: '2026', product: 'wheat' };
    const made = await api.post('/v1/siloscale/devices', { ...siloNamed('silo-a'), labels });
    assert.deepEqual(made.body.data.labels, { product: 'wheat', season: '2026' });
    await api.post('/v1/siloscale/devices', { ...siloNamed('silo-b'), labels: { product: 'rye' } });
    await api.post('/v1/fielddevice/devices', fieldDeviceNamed('rover-a'));
    assert.deepEqual(await idsOf('&label=product%3Dwheat'), ['silo-a']);
    assert.deepEqual(await idsOf('&label=product'), ['silo-a', 'silo-b']);
    assert.deepEqual(await idsOf('&label=product,season%3D2026'), ['silo-a']);
    assert.deepEqual(await idsOf('&label=constructor'), []);
    const path = '/v1/siloscale/devices/silo-a';
    const changed = await api.patch(path, { labels: { season: null, product: 'Öl & Mehl' } });
    assert.deepEqual(changed.body.data.labels, { product: 'Öl & Mehl' });
    assert.deepEqual(await idsOf(`&label=${encodeURIComponent('product=Öl & Mehl')}`), ['silo-a']);
    assert.deepEqual(await idsOf('&label=season'), []);
    assert.equal((await api.get('/v1/alerts?label=product')).status, 200);
    assert.deepEqual((await api.get('/v1/export')).body.data.devices[1].labels, { product: 'Öl & Mehl' });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`l${n}`, 'x']));
    const wrong = [
      { Product: 'x' },
      { a: '' },
      { a: ' x' },
      { a: 'x,y' },
      { a: 1 },
      { a: 'x\n' },
      many,
      [],
      'x',
    ];
    for (const one of wrong) {
      const { status, body } = await api.patch(path, { labels: one });
      assert.deepEqual([status, body.error.code], [400, 'invalid_input'], JSON.stringify(one));
    }
    assert.equal((await api.get('/v1/devices?label=A%3Db')).body.error.code, 'invalid_input');
  });

  test('many devices are changed together, after their differences were shown', async () => {
    const change = {
      devices: { labels: ['product'] },
      set: {
        labels: { season: '2027' },
        location: { zone: 'b' },
        configuration: { thresholds: { low_level: 15 } },
      },
    };
    const shown = (await api.post('/v1/devices/change?dry_run=true', change)).body.data;
    assert.deepEqual([shown.dry_run, shown.updated, shown.unchanged], [true, 2, 0]);
    assert.deepEqual(await idsOf('&label=season'), []);
    const done = (await api.post('/v1/devices/change', change)).body.data;
    assert.deepEqual(done, { ...shown, dry_run: false });
    assert.deepEqual(await idsOf('&label=season%3D2027&zone=b'), ['silo-a', 'silo-b']);
    assert.equal((await api.get('/v1/siloscale/devices/silo-b/config')).body.data.thresholds.low_level, 15);
    assert.equal((await api.post('/v1/devices/change', change)).body.data.unchanged, 2);
    const { data: entries } = (await api.get('/v1/audit?action=bulk.change')).body;
    const named = entries.flatMap(
      ({ input }: { input: { change?: { name: string } } }) => input?.change?.name ?? [],
    );
    assert.deepEqual(named.toSorted(), ['silo-a', 'silo-b']);
  });

  test('a change that one device cannot have changes none', async () => {
    const all = { device_ids: ['rover-a', 'silo-a'] };
    const thresholds = { configuration: { thresholds: { low_level: 12 } } };
    const { status, body } = await api.post('/v1/devices/change', { devices: all, set: thresholds });
    assert.deepEqual([status, body.error.code], [422, 'apply_refused']);
    assert.match(body.error.details[0].message, /\(device rover-a\)$/);
    assert.equal((await api.get('/v1/siloscale/devices/silo-a/config')).body.data.thresholds.low_level, 15);
    const capacity = { capacity: { max: 1, unit: 'kg' } };
    for (const [devices, set] of [
      [{ device_ids: ['rover-a'] }, capacity],
      [{ device_ids: ['nobody'] }, { model: 'x' }],
      [{ facility: 'nowhere' }, { model: 'x' }],
    ]) {
      assert.equal((await api.post('/v1/devices/change', { devices, set })).body.error.code, 'apply_refused');
    }
    for (const body of [{ devices: {}, set: { model: 'x' } }, { devices: all, set: {} }, {}]) {
      assert.equal((await api.post('/v1/devices/change', body)).body.error.code, 'invalid_input');
    }
  });

  test('a limited key changes and imports within its limits only', async () => {
    await api.post('/v1/siloscale/devices', siloNamed('silo-s', 'south'));
    const south = await limitedTo(['south']);
    const model = { model: 'of the limited key' };
    const only = await south.post('/v1/devices/change', { devices: { profile: 'silo_scale' }, set: model });
    assert.deepEqual(
      only.body.data.changes.map(({ device_id }: Listed) => device_id),
      ['silo-s'],
    );
    for (const set of [model, { location: { facility: 'south' } }]) {
      const foreign = await south.post('/v1/devices/change', { devices: { device_ids: ['silo-a'] }, set });
      assert.equal(foreign.body.error.code, 'apply_refused');
    }
    const move = { devices: { device_ids: ['silo-s'] }, set: { location: { facility: 'north' } } };
    assert.equal((await south.post('/v1/devices/change', move)).body.error.code, 'apply_refused');
    const outside = await south.post('/v1/devices/import', { csv: `${HEAD}\n${rowOf('silo-x')}` });
    assert.match(outside.body.error.message, /\/rows\/2\/facility is where this key may register no device/);
    const reader = await limitedTo(['south'], ['read', 'operate', 'configure']);
    for (const path of ['change', 'import']) {
      assert.equal((await reader.post(`/v1/devices/${path}`, {})).status, 403);
    }
  });

  test('one wrong row of ten thousand is named, and nothing is written', async () => {
    const rows = Array.from({ length: ROWS }, (_, n) => rowOf(`bulk-${n}`, n === 7_654 ? '20.000' : '20000'));
    const { status, body } = await postCsv([HEAD, ...rows].join('\r\n'));
    assert.deepEqual([status, body.error.code, body.error.details.length], [422, 'apply_refused', 1]);
    assert.equal(body.error.details[0].path, '/rows/7656/capacity_kg');
    assert.equal((await api.get('/v1/overview')).body.data.devices.by_profile.silo_scale, 3);
    const longer = await postCsv([HEAD, ...rows, rowOf('one-more')].join('\n').replace('20.000', '20000'));
    assert.match(longer.body.error.message, /\/rows must have at most 10000 items/);
  });

  test('devices are imported, and their secrets are answered once', async () => {
    const file = `\ufeff${[HEAD, rowOf('imported-1'), rowOf('imported-2')].join('\r\n').replaceAll('"', '')}`;
    const semicolons = file.replaceAll(/,(?! )/g, ';');
    const shown = (await postCsv(semicolons, '?dry_run=true')).body.data;
    assert.deepEqual([shown.devices, shown.credentials, shown.first[1].name], [2, [], 'Silo, imported-2']);
    const named = { 'idempotency-key': 'import both' };
    const done = await postCsv(semicolons, '', named);
    assert.equal(done.status, 200);
    assert.deepEqual((await postCsv(semicolons, '', named)).body, done.body);
    assert.deepEqual(await idsOf('&label=product%3Drye&q=imported'), ['imported-1', 'imported-2']);
    const again = await postCsv(semicolons);
    assert.deepEqual(
      again.body.error.details.map(
        ({ path, message }: { path: string; message: string }) => `${path} ${message}`,
      ),
      ['/rows/2/device_id is taken', '/rows/3/device_id is taken'],
    );
    assert.equal((await postCsv(semicolons, '?dry_run=true')).body.error.code, 'apply_refused');
    const csv = await postCsv(`${HEAD}\n${rowOf('imported-3')}`, '', { accept: 'text/csv' });
    assert.match(csv.text, /^username,secret\r\nimported-3,\S+\r\n$/);
    const audited = (await api.get('/v1/audit?action=bulk.importDevices&device_id=imported-3')).body.data;
    assert.equal(audited.length, 1);
    for (const wrong of ['x', HEAD, '"', '\ufeff']) {
      assert.equal((await postCsv(wrong)).body.error.code, 'apply_refused', wrong);
    }
  });

  test('ten thousand devices are imported while a silo that runs is stopped', async (t) => {
    const silo = await startSilo(api, 'running');
    const { body } = await api.post(`${silo.path}/operations/feed`, { amount: 100, rate: 50 });
    const id: string = body.data.operation_id;
    await silo.take('start');
    await silo.ack({ operation_id: id, accepted: true });
    const rows = Array.from({ length: ROWS }, (_, n) => rowOf(`many-${n}`));
    const startMs = performance.now();
    const importing = postCsv([HEAD, ...rows].join('\n'));
    const stops: number[] = [];
    const stopOnce = async () => {
      const beginMs = performance.now();
      const { status } = await api.post(`${silo.path}/operations/${id}/stop`);
      stops.push(performance.now() - beginMs);
      assert.equal(status, 200);
    };
    await stopOnce();
    await silo.take('stop');
    await stopOnce();
    const { status, body: imported } = await importing;
    t.diagnostic(
      `imported in ${Math.round(performance.now() - startMs)} ms; stops answered in ${stops.map(Math.round).join(' and ')} ms`,
    );
    assert.equal(status, 200, JSON.stringify(imported.error));
    assert.deepEqual([imported.data.devices, imported.data.credentials.length], [ROWS, ROWS]);
    await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 1 });
    await silo.leave();
  });
});
