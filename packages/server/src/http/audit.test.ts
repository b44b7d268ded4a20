import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@granary/contract/audit';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { missionInHours } from '@granary/testing/server/missions';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';

/** The header value as a client sends a text in UTF-8. */
const inHeader = (text: string): string => Buffer.from(text).toString('latin1');

describeService('the audit log over HTTP', (api) => {
  const entries = async (query: Record<string, string>, as: Api = api): Promise<AuditEntry[]> =>
    (await as.get(`/v1/audit?${new URLSearchParams(query)}`)).body.data;

  test('says who changed what, when, from where and with which result', async () => {
    const silo = await startSilo(api, 'audited');
    const headers = { 'x-actor': 'Ada', 'x-request-id': 'req-of-ada' };
    const feed = await api.post(`${silo.path}/operations/feed`, { amount: 10 }, headers);
    await silo.take('start');
    const [entry, ...more] = await entries({ device_id: 'audited', action: 'operations.feed' });
    assert.deepEqual(more, []);
    const { audit_id: _id, at: _at, ...shown } = entry ?? {};
    const [key] = (await api.get('/v1/keys')).body.data;
    assert.deepEqual(shown, {
      request_id: 'req-of-ada',
      actor: { key_id: key.key_id, key_name: key.name, actor: 'Ada' },
      address: '127.0.0.1',
      action: 'operations.feed',
      method: 'POST',
      path: `${silo.path}/operations/feed`,
      device_id: 'audited',
      resource_id: feed.body.data.operation_id,
      result: 'done',
      code: null,
      count: 1,
      input: { body: { amount: 10 } },
    });

    const again = await api.post(`${silo.path}/operations/feed`, { amount: 10 }, headers);
    assert.equal(again.body.error.code, 'operation_in_progress');
    const refused = await entries({ actor: 'Ada', result: 'refused' });
    assert.deepEqual(
      refused.map(({ code, count, resource_id }) => [code, count, resource_id]),
      [['operation_in_progress', 1, null]],
    );
    const stop = `${silo.path}/operations/${feed.body.data.operation_id}/stop`;
    await api.raw('POST', stop, { headers: { ...api.authorization, 'x-actor': 'Grace\tHopper' } });
    const [stopped] = await entries({ device_id: 'audited', action: 'operations.stop' });
    assert.deepEqual(
      [stopped?.result, stopped?.resource_id, stopped?.actor?.actor],
      ['done', feed.body.data.operation_id, null],
      'a stop is not refused because of a bad name',
    );
    await silo.leave();
  });

  test('has every kind of refusal, also of callers without a valid key', async () => {
    const path = `${SILOS}/refused`;
    await api.post(SILOS, siloNamed('refused'));
    const reader = await keyOf(api, { scopes: ['read'] });
    const operator = await keyOf(api, { scopes: ['read', 'operate'], facilities: ['south'] });
    const send = (as: Api, body: unknown = { amount: 1 }) => as.post(`${path}/operations/feed`, body);
    await api.as('a-key-that-was-never-issued-to-anybody').post(`${path}/operations/feed`, { amount: 1 });
    await api.raw('POST', `${path}/operations/feed`, {});
    await send(reader);
    await send(operator);
    await send(api, { amount: -1 });
    await api.raw('POST', `${path}/operations/feed`, {
      headers: { ...api.authorization, 'content-type': 'application/json' },
      body: '{',
    });
    await send(api);
    await api.put(`${path}/config`, { thresholds: { low_level: 5 } }, { 'if-match': '"99"' });
    await api.post(`${path}/alerts/al_none/acknowledge`, { acknowledged_by: 'Ada' });
    const codes = async () =>
      (await entries({ device_id: 'refused', result: 'refused' }))
        .map(({ code, count }) => `${code} ${count}`)
        .sort()
        .join(', ');
    await eventually(
      codes,
      'alert_not_found 1, device_not_found 1, device_offline 1, forbidden 1, invalid_input 1, malformed_json 1, stale_version 1, unauthorized 2',
    );
    const [forbidden] = (await entries({ device_id: 'refused' })).filter(({ code }) => code === 'forbidden');
    assert.equal(forbidden?.actor?.key_name, 'limited');
  });

  test('takes the name of the person from X-Actor in UTF-8, and refuses a bad one', async () => {
    const name = 'Jürgen Müller 鈴木';
    await api.post(SILOS, siloNamed('named'), { 'x-actor': inHeader(name) });
    assert.equal((await entries({ device_id: 'named' }))[0]?.actor?.actor, name);
    assert.equal((await entries({ actor: name })).length, 1);
    const unseen = ['Ada\u202e', 'Ada\u200b', 'A\u{e0041}da', 'Ada\ufe0f'].map(inHeader);
    for (const bad of ['', '\u00ff\u00fe', 'a\tb', 'x'.repeat(201), ...unseen]) {
      const answer = await api.post(SILOS, siloNamed('misnamed'), { 'x-actor': bad });
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_input'], JSON.stringify(bad));
      assert.match(answer.body.error.message, /X-Actor/);
    }
    assert.equal((await api.get(`${SILOS}/misnamed`)).status, 404);
    assert.equal((await api.get('/v1/devices', { 'x-actor': 'a\tb' })).status, 200, 'a read has no actor');
  });

  test('takes the name of an agent from its program, and none that looks like another one', async () => {
    for (const [device, given, shown] of [
      ['by-agent', 'feed agent', 'feed agent'],
      ['by-nobody', 'tnega\u202e', 'unnamed'],
    ] as const) {
      await api.post(SILOS, siloNamed(device), { 'x-agent': inHeader(given) });
      assert.equal((await entries({ device_id: device }))[0]?.actor?.agent, shown);
    }
  });

  test('shows a limited key what concerns its devices, and other keys than of administrators nothing', async () => {
    await api.post(SILOS, siloNamed('in-west', 'west'));
    await api.post(SILOS, siloNamed('in-east', 'east'));
    const west = await keyOf(api, { scopes: ['admin'], facilities: ['west'] });
    const seen = await entries({}, west);
    assert.deepEqual([...new Set(seen.map(({ device_id }) => device_id))], ['in-west']);
    assert.deepEqual(await entries({ device_id: 'in-east' }, west), []);
    const reader = await keyOf(api, { scopes: ['read', 'operate', 'configure'] });
    assert.equal((await reader.get('/v1/audit')).status, 403);
  });

  test('is paged, and refuses a cursor that is none', async () => {
    const first = await api.get('/v1/audit?limit=2');
    const next = await api.get(`/v1/audit?limit=2&cursor=${first.body.page.next_cursor}`);
    const ids = [...first.body.data, ...next.body.data].map(({ audit_id }: AuditEntry) => audit_id);
    assert.equal(new Set(ids).size, 4);
    const times = [...first.body.data, ...next.body.data].map(({ at }: AuditEntry) => at);
    assert.deepEqual(times, times.toSorted().reverse());
    for (const cursor of ['x', Buffer.from('abc').toString('base64url')]) {
      assert.equal((await api.get(`/v1/audit?cursor=${cursor}`)).body.error.code, 'invalid_input');
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      assert.equal((await api.raw(method, '/v1/audit', { headers: api.authorization })).status, 405);
    }
  });

  test('has no entry for readings, nor for a request that is answered a second time', async () => {
    await api.post(SILOS, siloNamed('data'));
    const reading = { ts: Date.now(), weight: 1 };
    for (const headers of [{}, { 'idempotency-key': 'reading' }]) {
      assert.equal((await api.post(`${SILOS}/data/telemetry`, reading, headers)).status, 200);
    }
    assert.equal((await api.post(`${SILOS}/data/telemetry`, {})).status, 400);
    for (const replayed of [null, 'true']) {
      const answer = await api.post(
        '/v1/keys',
        { name: 'twice', scopes: ['read'] },
        { 'idempotency-key': 'k' },
      );
      assert.equal(answer.headers.get('idempotency-replayed'), replayed);
    }
    assert.deepEqual(
      (await entries({ device_id: 'data' })).map(({ action }) => action),
      ['devices.register'],
    );
    const created = (await entries({ action: 'keys.create' })).filter(({ input }) =>
      JSON.stringify(input).includes('twice'),
    );
    assert.equal(created.length, 1);
  });

  test('names the callers on operations, commands, missions and alerts', async () => {
    const by = (name: string) => ({ 'x-actor': name });
    const nameIn = (actor: { actor: string } | null) => actor?.actor;
    const silo = await startSilo(api, 'records');
    const feed = await api.post(`${silo.path}/operations/feed`, { amount: 10 }, by('Ada'));
    await silo.take('start');
    const path = `${silo.path}/operations/${feed.body.data.operation_id}`;
    for (const name of ['Grace', 'Edsger']) await api.post(`${path}/stop`, undefined, by(name));
    const { requested_by, stopped_by } = (await api.get(path)).body.data;
    assert.deepEqual(
      [nameIn(requested_by), nameIn(stopped_by)],
      ['Ada', 'Grace'],
      'the first who stopped it',
    );
    await silo.leave();

    const rover = await startRover(api, 'rover-records');
    const mission = missionInHours(1);
    const created = await api.post(`${rover.path}/missions`, mission, by('Ada'));
    const cancel = `${rover.path}/missions/${created.body.data.mission_id}/cancel`;
    const cancelled = (await api.post(cancel, undefined, by('Grace'))).body.data;
    assert.deepEqual([nameIn(cancelled.requested_by), nameIn(cancelled.cancelled_by)], ['Ada', 'Grace']);
    const stop = await api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' }, by('Ada'));
    assert.equal(nameIn(stop.body.data.requested_by), 'Ada');
    await rover.leave();

    await api.post(SILOS, siloNamed('alerting'));
    await api.post(`${SILOS}/alerting/telemetry`, { ts: Date.now(), weight: 1 });
    const alerts = async () => (await api.get(`${SILOS}/alerting/alerts`)).body.data;
    await eventually(async () => (await alerts()).length > 0, true);
    const [{ alert_id }] = await alerts();
    const shelving = { until: mission.scheduled_start, reason: 'known' };
    await api.post(`${SILOS}/alerting/alerts/${alert_id}/shelve`, shelving, by('Grace'));
    const person = { acknowledged_by: 'the driver' };
    const acknowledge = `${SILOS}/alerting/alerts/${alert_id}/acknowledge`;
    const { data } = (await api.post(acknowledge, person, by('Ada'))).body;
    assert.deepEqual(
      [data.acknowledged_by, nameIn(data.acknowledged_with), nameIn(data.shelved_with)],
      ['the driver', 'Ada', 'Grace'],
    );
  });

  test('names the person on the events of the change', async () => {
    const rover = await startRover(api, 'rover-audited');
    const command = { command: 'emergency_stop' };
    const { body } = await api.post(`${rover.path}/remote/command`, command, { 'x-actor': 'Ada' });
    const [entry] = await entries({ device_id: 'rover-audited', action: 'commands.give' });
    assert.deepEqual([entry?.resource_id, entry?.input], [body.data.command_id, { body: command }]);
    await rover.leave();
  });
});

async function keyOf(api: Api, wanted: Record<string, unknown>): Promise<Api> {
  const { body } = await api.post('/v1/keys', { name: 'limited', ...wanted });
  return api.as(body.data.key);
}
