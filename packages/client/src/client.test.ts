import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { test } from 'node:test';
import { ok, startScriptedServer } from '@granary/testing/client/scripted-server';
import { createClient } from './client.ts';
import { ApiError, UnreachableError } from './failures.ts';

test('sends the key as a bearer token and unwraps the envelope', async (t) => {
  const { client, received } = await startScriptedServer([ok({ device_id: 'silo/1' })], t);
  assert.equal((await client.devices.silo.get('silo/1')).device_id, 'silo/1');
  assert.equal(received[0]?.url, '/v1/siloscale/devices/silo%2F1');
  assert.equal(received[0]?.headers.authorization, 'Bearer gk_test');
});

test('without a key sends no authorization, and leaves the cookie to the browser', async () => {
  const requests: RequestInit[] = [];
  const fetch = async (_url: unknown, request: RequestInit = {}): Promise<Response> => {
    requests.push(request);
    return Response.json({ success: true, data: {} });
  };
  for (const key of [{}, { apiKey: 'gk_test' }]) {
    await createClient({ baseUrl: 'http://granary.test', fetch, ...key }).session.get();
  }
  const sent = requests.map(({ headers, credentials }) => [
    new Headers(headers).get('authorization'),
    credentials,
  ]);
  assert.deepEqual(sent, [
    [null, 'same-origin'],
    ['Bearer gk_test', undefined],
  ]);
});

test('follows the cursor through every page', async (t) => {
  const page = (id: string, next: string | null) => ({
    body: { success: true, data: [{ device_id: id }], page: { next_cursor: next } },
  });
  const { client, received } = await startScriptedServer([page('a', 'c 1'), page('b', null)], t);
  const ids = await Array.fromAsync(client.devices.field.listAll(), (device) => device.device_id);
  assert.deepEqual(ids, ['a', 'b']);
  assert.equal(received[1]?.url, '/v1/fielddevice/devices?cursor=c+1');
});

test('requests history with only the given parameters', async (t) => {
  const { client, received } = await startScriptedServer([ok({ points: [] })], t);
  await client.telemetry.history('s', { interval: '1d', sensor: 'level' });
  assert.equal(received[0]?.url, '/v1/siloscale/devices/s/sensors/history?interval=1d&sensor=level');
});

test('sends telemetry as JSON', async (t) => {
  const { client, received } = await startScriptedServer([ok({ stored: 1 })], t);
  assert.deepEqual(await client.telemetry.send('silo', 's', { ts: 1, weight: 2 }), { stored: 1 });
  assert.equal(received[0]?.headers['content-type'], 'application/json');
  assert.equal(received[0]?.body, '{"ts":1,"weight":2}');
});

test('returns the version of a device with the device', async (t) => {
  const reply = { ...ok({ device_id: 's' }), headers: { etag: '"3"' } };
  const { client, received } = await startScriptedServer([reply], t);
  const { device, etag } = await client.devices.field.getVersioned('s');
  assert.deepEqual([device.device_id, etag], ['s', '"3"']);
  assert.equal(received[0]?.url, '/v1/fielddevice/devices/s');
});

test('returns the version of a configuration, and sends it with a change', async (t) => {
  const reply = { ...ok({ thresholds: {} }), headers: { etag: '"7"' } };
  const { client, received } = await startScriptedServer([reply, reply], t);
  const { etag } = await client.configuration.silo.get('s');
  assert.equal(etag, '"7"');
  await client.configuration.silo.update(
    's',
    { thresholds: { low_level: 5 } },
    { ifMatch: '"7"', actor: 'Jürgen' },
  );
  assert.equal(received[1]?.method, 'PUT');
  assert.equal(received[1]?.headers['if-match'], '"7"');
  const actor = Buffer.from(String(received[1]?.headers['x-actor']), 'latin1').toString();
  assert.equal(actor, 'Jürgen', 'sent in UTF-8');
});

test('lists the versions of a configuration', async (t) => {
  const { client, received } = await startScriptedServer([ok([])], t);
  await client.configuration.field.versions('r', { limit: 5 });
  assert.equal(received[0]?.url, '/v1/fielddevice/devices/r/config/versions?limit=5');
});

test('creates, revokes and rotates keys', async (t) => {
  const { client, received } = await startScriptedServer([ok({}), ok({}), ok({})], t);
  await client.keys.create({ name: 'n', scopes: ['read'] });
  await client.keys.revoke('key_1');
  await client.keys.rotate('key_1', { overlap_seconds: 60 });
  const requests = received.map(({ method, url, body }) => [method, url, body]);
  assert.deepEqual(requests, [
    ['POST', '/v1/keys', '{"name":"n","scopes":["read"]}'],
    ['DELETE', '/v1/keys/key_1', ''],
    ['POST', '/v1/keys/key_1/rotate', '{"overlap_seconds":60}'],
  ]);
});

test('a refusal is thrown with every field of the answer', async (t) => {
  const error = {
    code: 'invalid_input',
    message: 'no',
    details: [{ path: '/a', message: 'is bad' }],
    request_id: 'r1',
  };
  const { client } = await startScriptedServer([{ status: 400, body: { success: false, error } }], t);
  await assert.rejects(client.telemetry.current('s'), (failure) => {
    assert.ok(failure instanceof ApiError);
    const { status, code, message, details, requestId } = failure;
    assert.deepEqual(
      { status, code, message, details, requestId },
      {
        status: 400,
        code: 'invalid_input',
        message: 'no',
        details: error.details,
        requestId: 'r1',
      },
    );
    return true;
  });
});

test('an answer that is not JSON is thrown as such', async (t) => {
  const { client } = await startScriptedServer([{ status: 502, body: '<html>' }, { body: '<html>' }], t);
  await assert.rejects(client.telemetry.current('s'), {
    name: 'ApiError',
    status: 502,
    code: 'unexpected_answer',
  });
  await assert.rejects(client.telemetry.current('s'), {
    name: 'ApiError',
    status: 200,
    code: 'unexpected_answer',
  });
});

test('a service that cannot be reached is one clear error line', async () => {
  const closedServer = createTcpServer().listen(0, '127.0.0.1');
  await once(closedServer, 'listening');
  const { port } = closedServer.address() as AddressInfo;
  closedServer.close();
  await once(closedServer, 'close');
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', timeLimitMs: 0 });
  await assert.rejects(client.keys.list(), (failure) => {
    assert.ok(failure instanceof UnreachableError);
    assert.match(failure.message, /^cannot reach http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/);
    return true;
  });
});

test('starts, stops and lists operations, and acknowledges alerts, at their addresses', async (t) => {
  const list = { body: { success: true, data: [{ operation_id: 'op_1' }], page: { next_cursor: null } } };
  const { client, received } = await startScriptedServer([ok({}), ok({}), ok({}), list, ok({}), ok({})], t);
  const discharge = { amount: 1, target_container: 'truck' };
  await client.operations.feed('s', { amount: 1 }, { idempotencyKey: 'once' });
  await client.operations.discharge('s', discharge);
  await client.operations.stop('s', 'op_1');
  await Array.fromAsync(client.operations.listAll('s', { status: 'failed' }));
  await client.alerts.silo.acknowledge('s', 'al_1', { acknowledged_by: 'Ada' });
  await client.alerts.silo.list('s', { status: 'all' });
  const root = '/v1/siloscale/devices/s';
  assert.deepEqual(
    received.map(({ method, url }) => `${method} ${url}`),
    [
      `POST ${root}/operations/feed`,
      `POST ${root}/operations/discharge`,
      `POST ${root}/operations/op_1/stop`,
      `GET ${root}/operations?status=failed`,
      `POST ${root}/alerts/al_1/acknowledge`,
      `GET ${root}/alerts?status=all`,
    ],
  );
  assert.equal(received[0]?.headers['idempotency-key'], 'once');
  assert.equal(received[1]?.body, JSON.stringify(discharge));
});

test('field devices: readings, commands, missions, alerts and configuration, at their addresses', async (t) => {
  const list = { body: { success: true, data: [], page: { next_cursor: null } } };
  const { client, received } = await startScriptedServer(
    [...Array.from({ length: 11 }, () => ok({})), list, list],
    t,
  );
  await client.fieldReadings.location('r');
  await client.fieldReadings.environment('r');
  await client.fieldReadings.history('r', { sensor: 'soil_moisture' });
  await client.fieldReadings.track('r', { from: '2026-11-01T00:00:00Z' });
  await client.commands.give('r', { command: 'hold' }, { idempotencyKey: 'once' });
  await client.commands.get('r', 'cmd_1');
  const waypoints = [{ lat: 1, lng: 2, action: 'scan' as const }];
  await client.missions.create('r', { mission_name: 'm', waypoints });
  await client.missions.pause('r', 'ms_1');
  await client.missions.cancel('r', 'ms_1');
  await client.alerts.field.acknowledge('r', 'al_1', { acknowledged_by: 'Ada' });
  await client.configuration.field.update('r', { geofence: null });
  await Array.fromAsync(client.commands.listAll('r', { command: 'hold' }));
  await Array.fromAsync(client.missions.listAll('r', { status: 'missed' }));
  const root = '/v1/fielddevice/devices/r';
  assert.deepEqual(
    received.map(({ method, url }) => `${method} ${url}`),
    [
      `GET ${root}/location`,
      `GET ${root}/sensors/environmental`,
      `GET ${root}/sensors/history?sensor=soil_moisture`,
      `GET ${root}/track?from=2026-11-01T00%3A00%3A00Z`,
      `POST ${root}/remote/command`,
      `GET ${root}/remote/commands/cmd_1`,
      `POST ${root}/missions`,
      `POST ${root}/missions/ms_1/pause`,
      `POST ${root}/missions/ms_1/cancel`,
      `POST ${root}/alerts/al_1/acknowledge`,
      `PUT ${root}/config`,
      `GET ${root}/remote/commands?command=hold`,
      `GET ${root}/missions?status=missed`,
    ],
  );
  assert.equal(received[4]?.headers['idempotency-key'], 'once');
});

test('exported readings are yielded one by one, with the given selection', async (t) => {
  const rows = [
    { device_id: 'silo-é', sensor: 'weight', value: 1.5 },
    { device_id: 's', sensor: 'weight', value: 2 },
  ];
  const headers = { 'content-type': 'application/x-ndjson' };
  const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const { client, received } = await startScriptedServer(
    [
      { headers, body },
      { headers, body: '' },
      { headers, body },
    ],
    t,
  );
  assert.deepEqual(await Array.fromAsync(client.exports.readings({ sensor: 'weight', unit: 'kg' })), rows);
  assert.deepEqual(await Array.fromAsync(client.exports.readings()), []);
  assert.deepEqual(await Array.fromAsync(client.exports.history({ interval: '1d' })), rows);
  assert.equal(received[2]?.url, '/v1/history?interval=1d');
  assert.equal(received[0]?.url, '/v1/readings?sensor=weight&unit=kg');
  assert.equal(received[0]?.headers.accept, 'application/x-ndjson');
});

test('plants keep every digit of their ids, and their errors have their own form', async (t) => {
  const id = 9223372036854775807n;
  const stored = `{"id":${id},"name":"Rose","tag":"flower"}`;
  const refusal = { status: 400, body: { error: 409, message: 'is taken' } };
  const { client, received } = await startScriptedServer(
    [{ body: { name: 'Rose' } }, { body: stored }, refusal],
    t,
  );
  assert.deepEqual(await client.plants.create({ id, name: 'Rose' }), { name: 'Rose' });
  assert.equal(received[0]?.body, `{"id":${id},"name":"Rose"}`);
  assert.deepEqual(await client.plants.get(id), { id, name: 'Rose', tag: 'flower' });
  assert.equal(received[1]?.url, `/sandbox/plants/${id}`);
  await assert.rejects(client.plants.create({ id, name: 'Rose' }), { status: 400, code: '409' });
});

test('a document is applied with its query, and webhooks and rules have their methods', async (t) => {
  const { client, received } = await startScriptedServer([ok({}), ok({}), ok([]), ok([])], t);
  await client.site.apply({ version: 1, devices: [] }, { dry_run: 'true' }, { actor: 'Ada' });
  await client.site.export({ facility: 'north' });
  await client.webhooks.deliveries('wh_1', { status: 'dead' });
  await client.notifications.rules({ limit: 2 });
  assert.deepEqual(
    received.map(({ method, url, body }) => [method, url, body]),
    [
      ['POST', '/v1/apply?dry_run=true', '{"version":1,"devices":[]}'],
      ['GET', '/v1/export?facility=north', ''],
      ['GET', '/v1/webhooks/wh_1/deliveries?status=dead', ''],
      ['GET', '/v1/notification-rules?limit=2', ''],
    ],
  );
  assert.equal(received[0]?.headers['x-actor'], 'Ada');
});

test('a service that is not ready answers its checks', async (t) => {
  const checks = { status: 'not ready', checks: { storage: 'is down' } };
  const { client } = await startScriptedServer([{ status: 503, body: checks }], t);
  assert.deepEqual(await client.health.ready(), checks);
});

test('fields, values and codes of a newer service reach the caller', async (t) => {
  const device = { device_id: 's', status: 'hibernating', moon_phase: { name: 'full' } };
  const newer = { status: 418, body: { success: false, error: { code: 'out_of_tea', message: 'no' } } };
  const { client } = await startScriptedServer([ok(device), newer], t);
  assert.deepEqual(await client.devices.silo.get('s'), device);
  await assert.rejects(client.devices.silo.get('s'), { code: 'out_of_tea', status: 418 });
});

test('an older service without an endpoint is named as the reason', async (t) => {
  const error = { code: 'route_not_found', message: 'there is nothing here', request_id: 'r1' };
  const { client } = await startScriptedServer([{ status: 404, body: { success: false, error } }], t);
  await assert.rejects(client.webhooks.list(), {
    code: 'route_not_found',
    message:
      'there is nothing here; the service does not offer GET /v1/webhooks: it is older than this client, or its addresses are other ones',
  });
});
