import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { EventReader, type ReadEvent } from '@granary/testing/server/event-reader';
import { eventually } from '@granary/testing/server/eventually';
import { localService } from '@granary/testing/server/local-service';
import { describeService, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';

describeService('the event stream', (api) => {
  /** Makes one change, and so one event. */
  const change = async (deviceId: string, low: number): Promise<void> => {
    const { status } = await api.put(`${SILOS}/${deviceId}/config`, { thresholds: { low_level: low } });
    assert.equal(status, 200);
  };
  const lows = (events: readonly ReadEvent[]): number[] =>
    events.map(({ data }) => data.data.thresholds.low_level);
  const keyWith = async (fields: object) =>
    (await api.post('/v1/keys', { name: 'k', scopes: ['read'], ...fields })).body.data;

  before(async () => {
    for (const [id, facility] of [
      ['north-1', 'north'],
      ['north-2', 'north'],
      ['south-1', 'south'],
    ] as const) {
      await api.post(SILOS, siloNamed(id, facility));
    }
  });

  test('sends each change from its opening on', async () => {
    await change('north-1', 21);
    const reader = await EventReader.open(api, { query: '?type=configuration.changed' });
    assert.match(reader.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.ok(reader.headers.get('x-request-id'));
    await change('north-1', 22);
    const event = await reader.next();
    assert.ok(event);
    assert.equal(event.name, 'configuration.changed');
    const { id, type, device_id, at, data } = event.data;
    assert.deepEqual([id, type, device_id], [event.id, 'configuration.changed', 'north-1']);
    assert.ok(Date.parse(at));
    assert.equal(data.thresholds.low_level, 22);
    reader.close();
  });

  test('sends every status of an operation', async () => {
    const silo = await startSilo(api, 'with-operation');
    const reader = await EventReader.open(api, {
      query: '?device_id=with-operation&type=operation.status_changed',
    });
    const { operation_id: id } = (await api.post(`${silo.path}/operations/feed`, { amount: 10 })).body.data;
    await silo.take('start');
    await silo.ack({ operation_id: id, accepted: true });
    await api.post(`${silo.path}/operations/${id}/stop`);
    await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 3 });
    const statuses = (await reader.take(4)).map(({ data }) => data.data.status);
    assert.deepEqual(statuses, ['started', 'in_progress', 'stopping', 'stopped']);
    reader.close();
    await silo.leave();
  });

  test('continues after the last event: closed thirty times, every event arrives once and in order', async () => {
    const query = '?device_id=north-1&type=configuration.changed';
    const expected = Array.from({ length: 60 }, (_, i) => 20 + i);
    const events: ReadEvent[] = [];
    let reader = await EventReader.open(api, { query });
    for (const [i, low] of expected.entries()) {
      const isCut = i % 2 === 1;
      if (isCut) reader.close();
      await change('north-1', low);
      if (!isCut) events.push(...(await reader.take(1)));
      else reader = await EventReader.open(api, { query, lastEventId: reader.lastEventId ?? 0 });
      if (isCut && i % 4 === 1) events.push(...(await reader.take(1)));
    }
    events.push(...(await reader.take(expected.length - events.length)));
    reader.close();
    assert.deepEqual(lows(events), expected);
  });

  test('continues without a gap also when it was closed before its first event', async () => {
    const query = '?device_id=north-2&type=configuration.changed';
    const cut = await EventReader.open(api, { query });
    cut.close();
    await change('north-2', 31);
    const reader = await EventReader.open(api, { query: `${query}&last_event_id=${cut.lastEventId}` });
    assert.deepEqual(lows(await reader.take(1)), [31]);
    reader.close();
  });

  test('is filtered by devices and types', async () => {
    const query = '?device_id=north-1,south-1&type=configuration.changed,alert.raised';
    const reader = await EventReader.open(api, { query });
    for (const [i, id] of ['north-2', 'north-1', 'south-1'].entries()) await change(id, 40 + i);
    assert.deepEqual(lows(await reader.take(2)), [41, 42]);
    reader.close();
    for (const wrong of ['?type=unknown', '?type=', '?device_id=a b', '?last_event_id=x', '?colour=green']) {
      assert.equal((await api.get(`/v1/events${wrong}`)).status, 400, wrong);
    }
  });

  test('sends only events of devices that the key may access, and events of keys only to an admin key', async () => {
    const query = '?type=configuration.changed,key.issued';
    const south = await EventReader.open(api.as((await keyWith({ facilities: ['south'] })).key), { query });
    const reading = await EventReader.open(api.as((await keyWith({})).key), { query });
    const admin = await EventReader.open(api, { query });
    await keyWith({ name: 'secret' });
    await change('north-1', 51);
    await change('south-1', 52);
    assert.deepEqual(lows(await south.take(1)), [52]);
    assert.deepEqual(lows(await reading.take(2)), [51, 52]);
    const [issued] = await admin.take(1);
    assert.equal(issued?.name, 'key.issued');
    assert.equal(JSON.stringify(issued).includes('gk_'), false);
    for (const reader of [south, reading, admin]) reader.close();
  });

  test('sends a reset and continues with new events when the missed ones are not stored', async () => {
    const reader = await EventReader.open(api, {
      lastEventId: 1e9,
      query: '?device_id=north-1&type=configuration.changed',
    });
    const reset = await reader.next();
    assert.equal(reset?.name, 'reset');
    assert.equal(reset.data.oldest, 1);
    assert.equal(reset.id, reset.data.newest);
    await change('north-1', 53);
    assert.deepEqual(lows(await reader.take(1)), [53]);
    reader.close();
  });

  test('ends when its key is revoked or expires', async () => {
    const revoked = await keyWith({});
    const expiring = await keyWith({ expires_at: new Date(Date.now() + 1_500).toISOString() });
    const readers = await Promise.all(
      [revoked.key, expiring.key].map((key) => EventReader.open(api.as(key), { query: '?device_id=none' })),
    );
    await api.delete(`/v1/keys/${revoked.key_id}`);
    assert.deepEqual(await Promise.all(readers.map((reader) => reader.next())), [null, null]);
    assert.equal((await EventReader.open(api.as(revoked.key))).status, 401);
  });

  test('can be opened ten times with one key', async () => {
    const { key } = await keyWith({});
    const readers = await Promise.all(Array.from({ length: 10 }, () => EventReader.open(api.as(key))));
    const refused = await api.as(key).get('/v1/events');
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'stream_limit_reached']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await keyWith({})).name, 'k');
    for (const reader of readers) reader.close();
  });

  test('needs a key that may read', async () => {
    assert.equal((await api.raw('GET', '/v1/events', {})).status, 401);
    const { key } = await keyWith({ scopes: ['ingest'] });
    assert.equal((await api.as(key).get('/v1/events')).status, 403);
    assert.equal((await api.post('/v1/events', {})).status, 405);
  });
});

/** This runs with one database only: the streams are the same with both, and filling their buffers takes many writes. */
describe('the event stream', () => {
  const { api } = localService({ env: { GRANARY_RATE_LIMIT: 'off' } });

  test('does not wait for readers that do not read, and closes their streams', async () => {
    const { key } = (await api.post('/v1/keys', { name: 'k', scopes: ['read'] })).body.data;
    const fence = (index: number) =>
      Array.from({ length: 200 }, (_, i) => {
        const angle = (i / 200) * 2 * Math.PI;
        return { lat: 48 + 0.1 * Math.sin(angle) + index * 1e-6, lng: 11 + 0.1 * Math.cos(angle) };
      });
    await api.post('/v1/fielddevice/devices', fieldDeviceNamed('fenced'));
    const stalled = await Promise.all(Array.from({ length: 10 }, () => EventReader.open(api.as(key))));
    const reader = await EventReader.open(api, { query: '?device_id=fenced&type=configuration.changed' });
    const seen: number[] = [];
    const reading = (async () => {
      for (let event = await reader.next(); event !== null; event = await reader.next()) seen.push(event.id);
    })();
    // While all ten streams are open, the key can open no other. Each change is some kilobytes.
    let changes = 0;
    for (let isFull = true; isFull; ) {
      assert.ok(changes < 5_000, 'no stream was closed');
      for (let i = 0; i < 50; i++, changes++) {
        const change = { geofence: fence(changes) };
        assert.equal((await api.put('/v1/fielddevice/devices/fenced/config', change)).status, 200);
      }
      const another = await EventReader.open(api.as(key));
      isFull = another.status === 429;
      another.close();
    }
    await eventually(async () => seen.length, changes);
    for (const one of [reader, ...stalled]) one.close();
    await reading.catch(() => undefined);
  });
});
