import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOUR_MS, toIso } from '@granary/contract/time';
import { type ScriptedSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { EventReader } from '@granary/testing/server/event-reader';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';

describeService('notes', (api) => {
  let north: Api;
  let ofDevice: Api;
  let reader: Api;
  let operator: Api;
  const textsOf = async (query = '', as: Api = api): Promise<string[]> =>
    (await as.get(`/v1/notes${query}`)).body.data.map(({ text }: { text: string }) => text);

  before(async () => {
    await api.post(SILOS, siloNamed('silo-n', 'north'));
    await api.post(SILOS, siloNamed('silo-s', 'south'));
    const keyOf = async (body: object) =>
      api.as((await api.post('/v1/keys', { name: 'k', ...body })).body.data.key);
    north = await keyOf({ scopes: ['read', 'operate'], facilities: ['north'] });
    ofDevice = await keyOf({ scopes: ['read', 'operate'], device_ids: ['silo-n'] });
    reader = await keyOf({ scopes: ['read'] });
    operator = await keyOf({ scopes: ['read', 'operate'] });
    for (const [at, note] of [
      ['2026-03-01T08:00:00Z', { device_id: 'silo-n', text: 'noisy auger' }],
      ['2026-03-01T10:00:00Z', { device_id: 'silo-s', text: 'hatch open' }],
      ['2026-03-01T10:00:00+01:00', { facility: 'north', text: 'power cut' }],
      ['2026-03-01T11:00:00Z', { facility: 'south', text: 'gate closed' }],
    ] as const) {
      const { status, text } = await api.post('/v1/notes', { at, ...note });
      assert.equal(status, 200, text);
    }
  });

  test('are listed newest first by the time they are about, filtered, and page by page', async () => {
    assert.deepEqual(await textsOf(), ['gate closed', 'hatch open', 'power cut', 'noisy auger']);
    assert.deepEqual(await textsOf('?device_id=silo-n'), ['noisy auger']);
    assert.deepEqual(await textsOf('?device_id=nobody'), []);
    assert.deepEqual(await textsOf('?facility=north'), ['power cut', 'noisy auger']);
    const range = '?from=2026-03-01T09:00:00Z&to=2026-03-01T11:00:00Z';
    assert.deepEqual(await textsOf(range), ['hatch open', 'power cut']);
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await api.get(`/v1/notes?limit=1${cursor && `&cursor=${cursor}`}`);
      found.push(body.data[0].text);
      cursor = body.page.next_cursor;
    }
    assert.deepEqual(found, await textsOf());
    assert.equal((await api.get('/v1/notes?cursor=eA')).status, 400);
  });

  test('a limited key sees and writes those of its devices and facilities only', async () => {
    assert.deepEqual(await textsOf('', north), ['power cut', 'noisy auger']);
    assert.deepEqual(await textsOf('?facility=south', north), []);
    assert.deepEqual(await textsOf('', ofDevice), ['noisy auger']);
    for (const [key, place, code] of [
      [north, { device_id: 'silo-s' }, 'device_not_found'],
      [north, { facility: 'south' }, 'forbidden'],
      [ofDevice, { facility: 'north' }, 'forbidden'],
      [reader, { device_id: 'silo-n' }, 'forbidden'],
    ] as const) {
      const { body } = await key.post('/v1/notes', { ...place, text: 'x' });
      assert.equal(body.error?.code, code, JSON.stringify(place));
    }
  });

  test('say what is wrong with them', async () => {
    for (const [note, path] of [
      [{ text: 'x' }, ''],
      [{ device_id: 'silo-n', facility: 'north', text: 'x' }, ''],
      [{ device_id: 'silo-n', text: '' }, '/text'],
      [{ device_id: 'silo-n', text: 'x'.repeat(2_001) }, '/text'],
      [{ device_id: 'silo-n', text: 'a\0b' }, '/text'],
      [{ device_id: 'silo-n', text: 'x', at: '1969-12-31T23:59:59Z' }, '/at'],
      [{ device_id: 'silo-n', text: 'x', at: '9999-01-01T00:00:00Z' }, '/at'],
      [{ device_id: 'silo-n', text: 'x', at: 'noon' }, '/at'],
    ] as const) {
      const { status, body } = await api.post('/v1/notes', note);
      assert.deepEqual([status, body.error?.details?.[0]?.path], [400, path], JSON.stringify(note));
    }
  });

  test('are written once, removed by their key or an admin, audited and told as events', async () => {
    const headers = { 'idempotency-key': 'note-1', 'x-actor': 'Ada' };
    const wanted = { device_id: 'silo-n', text: 'two\nlines' };
    const { data } = (await operator.post('/v1/notes', wanted, headers)).body;
    assert.equal((await operator.post('/v1/notes', wanted, headers)).body.data.note_id, data.note_id);
    assert.deepEqual([data.facility, data.created_by.actor, data.at], ['north', 'Ada', data.created_at]);
    const path = `/v1/notes/${data.note_id}`;
    assert.equal((await reader.delete(path)).body.error.code, 'forbidden');
    assert.equal((await north.delete(path)).body.error.code, 'forbidden');
    const south = (await api.get('/v1/notes?device_id=silo-s')).body.data[0].note_id;
    assert.equal((await north.delete(`/v1/notes/${south}`)).body.error.code, 'note_not_found');
    assert.equal((await operator.delete(path)).status, 200);
    assert.equal((await operator.delete(path)).body.error.code, 'note_not_found');
    const audit = (await api.get('/v1/audit?device_id=silo-n&action=shifts.addNote')).body.data;
    assert.equal(audit[0].resource_id, data.note_id);
    const ofFacility = (await api.get('/v1/audit?facility=south&result=done&action=shifts.addNote')).body
      .data;
    assert.equal(ofFacility.length, 2);
    const events = await EventReader.open(operator, {
      query: '?device_id=silo-n&type=note.added,note.removed',
      lastEventId: 0,
    });
    const told = (await events.take(3)).map(({ name, data }) => `${name} ${data.data.text}`);
    events.close();
    assert.deepEqual(told, ['note.added noisy auger', 'note.added two\nlines', 'note.removed two\nlines']);
  });

  test('stay when their device is removed, and no new ones are taken', async () => {
    await api.post(SILOS, siloNamed('silo-old', 'north'));
    await api.post('/v1/notes', { device_id: 'silo-old', text: 'last words' });
    await api.delete(`${SILOS}/silo-old`);
    const refused = await api.post('/v1/notes', { device_id: 'silo-old', text: 'x' });
    assert.equal(refused.body.error.code, 'device_removed');
    assert.deepEqual(await textsOf('?device_id=silo-old'), ['last words']);
  });
});

describeService('handovers and the report of a shift', (api) => {
  let north: Api;
  let reader: Api;
  let silo: ScriptedSilo;
  const shift = { from: toIso(Date.now() - HOUR_MS), to: toIso(Date.now()) };
  const handOver = async (as: Api, body: object, headers = {}) =>
    (await as.post('/v1/handovers', { ...shift, text: 'quiet', ...body }, headers)).body;
  const waiting = async (as: Api, query = '') =>
    (await as.get(`/v1/handovers?waiting=true${query}`)).body.data.map(
      ({ text }: { readonly text: string }) => text,
    );

  before(async () => {
    silo = await startSilo(api, 'silo-n');
    await api.post(SILOS, siloNamed('silo-s', 'south'));
    const keyOf = async (body: object) =>
      api.as((await api.post('/v1/keys', { name: 'k', ...body })).body.data.key);
    north = await keyOf({ scopes: ['read', 'operate'], facilities: ['north'] });
    reader = await keyOf({ scopes: ['read'] });
  });
  after(() => silo.leave());

  test('wait until the next shift has acknowledged them, and the first who did stays', async () => {
    const all = (await handOver(api, { text: 'all is quiet' }, { 'x-actor': 'Ada' })).data;
    assert.deepEqual([all.facility, all.created_by.actor, all.acknowledged_at], [null, 'Ada', null]);
    const one = (await handOver(api, { facility: 'north', text: 'low silo' })).data;
    await handOver(api, { facility: 'south', text: 'gate open' });
    assert.deepEqual(await waiting(api), ['gate open', 'low silo', 'all is quiet']);
    assert.deepEqual(await waiting(api, '&facility=north'), ['low silo', 'all is quiet']);
    assert.deepEqual(await waiting(north), ['low silo']);
    const path = (id: string) => `/v1/handovers/${id}/acknowledge`;
    assert.equal((await north.post(path(all.handover_id))).body.error.code, 'handover_not_found');
    assert.equal((await reader.post(path(all.handover_id))).body.error.code, 'forbidden');
    const first = (await north.post(path(one.handover_id), undefined, { 'x-actor': 'Bob' })).body.data;
    assert.equal(first.acknowledged_by.actor, 'Bob');
    const again = (await api.post(path(one.handover_id), undefined, { 'x-actor': 'Cy' })).body.data;
    assert.deepEqual(again, first);
    assert.deepEqual(await waiting(api), ['gate open', 'all is quiet']);
    const reading = await EventReader.open(api, { query: '?type=handover.acknowledged', lastEventId: 0 });
    assert.equal((await reading.take(1))[0]?.data.data.handover_id, one.handover_id);
    reading.close();
  });

  test('are refused for others’ facilities and for times that are none', async () => {
    for (const [key, body, code] of [
      [north, { facility: 'south' }, 'forbidden'],
      [north, {}, 'forbidden'],
      [reader, {}, 'forbidden'],
      [api, { from: shift.to, to: shift.from }, 'invalid_input'],
      [api, { from: '2020-01-01T00:00:00Z' }, 'invalid_input'],
      [api, { from: '2999-01-01T00:00:00Z', to: '2999-01-01T08:00:00Z' }, 'invalid_input'],
      [api, { text: '' }, 'invalid_input'],
      [api, { text: 'x'.repeat(4_001) }, 'invalid_input'],
    ] as const) {
      assert.equal((await handOver(key, body)).error?.code, code, JSON.stringify(body).slice(0, 80));
    }
  });

  test('the report has what happened, what is open and what was changed, within the limits of the key', async () => {
    const { operation_id } = (await api.post(`${silo.path}/operations/feed`, { amount: 10 })).body.data;
    await silo.weigh(150);
    await api.post('/v1/notes', { facility: 'south', text: 'fox' });
    await api.post('/v1/notes', { device_id: 'silo-n', text: 'noise' });
    await eventually(
      async () => (await api.get('/v1/shift-report')).body.data.raised_alerts.items.length > 0,
      true,
    );
    const { data } = (await api.get('/v1/shift-report')).body;
    assert.equal(data.operations.items[0].operation_id, operation_id);
    assert.equal(data.operations.items[0].device_id, 'silo-n');
    assert.deepEqual(
      data.notes.items.map(({ text }: { readonly text: string }) => text),
      ['noise', 'fox'],
    );
    assert.ok(data.open_alerts.items.some(({ type }: { readonly type: string }) => type === 'low_level'));
    const actions = data.changes.items.map(({ action }: { readonly action: string }) => action);
    assert.ok(actions.includes('operations.feed') && actions.includes('shifts.addNote'));
    assert.deepEqual([data.facility, data.operations.has_more], [null, false]);
    const past = '?from=2026-01-01T06:00:00Z&to=2026-01-01T14:00:00Z';
    const earlier = (await api.get(`/v1/shift-report${past}`)).body.data;
    assert.deepEqual([earlier.operations.items, earlier.notes.items], [[], []]);
    const south = (await api.get('/v1/shift-report?facility=south')).body.data;
    assert.deepEqual([south.operations.items.length, south.notes.items.length], [0, 1]);
    const limited = (await north.get('/v1/shift-report')).body.data;
    assert.equal(limited.changes, null);
    assert.deepEqual(
      limited.notes.items.map(({ text }: { readonly text: string }) => text),
      ['noise'],
    );
    for (const query of [
      '?from=2026-01-01T06:00:00Z',
      '?to=2026-01-01T06:00:00Z&from=2026-01-02T06:00:00Z',
    ]) {
      assert.equal((await api.get(`/v1/shift-report${query}`)).status, 400, query);
    }
  });

  test('are told, as notes on facilities are, to every key that has their facility, and to no other', {
    timeout: 60_000,
  }, async () => {
    const keyOf = async (body: object) =>
      api.as((await api.post('/v1/keys', { name: 'k', scopes: ['read'], ...body })).body.data.key);
    const readers = {
      all: reader,
      north,
      south: await keyOf({ facilities: ['south'] }),
      both: await keyOf({ facilities: ['north', 'south'] }),
      device: await keyOf({ device_ids: ['silo-n'] }),
      deviceOfNorth: await keyOf({ facilities: ['north'], device_ids: ['silo-n'] }),
    };
    const streams = await Promise.all(
      Object.entries(readers).map(async ([name, as]) => ({
        name,
        stream: await EventReader.open(as, { query: '?type=note.added,handover.created,key.issued' }),
      })),
    );
    const ofOneDevice = await EventReader.open(north, {
      query: '?device_id=silo-n&type=note.added,handover.created',
    });
    await handOver(api, { text: 'of all' });
    for (const facility of ['north', 'south']) {
      await handOver(api, { facility, text: `shift of ${facility}` });
      await api.post('/v1/notes', { facility, text: `note of ${facility}` });
    }
    await keyOf({ name: 'nobody is told' });
    for (const device_id of ['silo-n', 'silo-s']) await api.post('/v1/notes', { device_id, text: device_id });
    const expected: Readonly<Record<string, readonly string[]>> = {
      all: [
        'of all',
        'shift of north',
        'note of north',
        'shift of south',
        'note of south',
        'silo-n',
        'silo-s',
      ],
      north: ['shift of north', 'note of north', 'silo-n'],
      south: ['shift of south', 'note of south', 'silo-s'],
      both: ['shift of north', 'note of north', 'shift of south', 'note of south', 'silo-n', 'silo-s'],
      device: ['silo-n'],
      deviceOfNorth: ['silo-n'],
    };
    for (const { name, stream } of streams) {
      const told = (await stream.take(expected[name]?.length ?? 0)).map(({ data }) => data.data.text);
      assert.deepEqual(told, expected[name], name);
    }
    // The note on the device was written last, so no event about its facility came before it.
    assert.equal((await ofOneDevice.take(1))[0]?.data.data.text, 'silo-n');
    for (const { stream } of [...streams, { stream: ofOneDevice }]) stream.close();
  });
});
