import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { attach, RecordedDriver, until } from '@granary/testing/bridge/driver-rig';
import { freePort } from '@granary/testing/free-port';
import { lookUpDevice } from '../asked-endpoint.ts';
import type { AttachedDevice } from '../driver.ts';
import type { ReadError } from '../read-error.ts';
import { makeDriver, readOnce } from './http-driver.ts';

const library = (name: string): string =>
  readFileSync(new URL(`../../../library/${name}.yaml`, import.meta.url), 'utf8');
const ECOWITT = library('ecowitt');
const WEATHERLINK = library('weatherlink-live');
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_SCALE = `
mapping: scale
version: 1
title: A scale
source: this test
evidence: documented
protocol: http
defaults: {every: 200ms, timeout: 300ms, silent_after: 2s}
points:
  weight: {pointer: /kg, unit: kg, sensor: weight}
`;

async function start(t: TestContext, devices: readonly AttachedDevice[]): Promise<RecordedDriver> {
  const rig = new RecordedDriver();
  await rig.start(t, (events, parts) => makeDriver(devices, events, parts));
  return rig;
}

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/current_conditions`;
}

const ecowitt = (fields: Readonly<Record<string, string | number>>): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();

test('Ecowitt stations on one path are told apart by their key, and rain is what fell since the message before', async (t) => {
  const port = await freePort();
  const at = (address: string) =>
    attach(`station-${address}`, ECOWITT, `listen://127.0.0.1:${port}/data/report/`, { address });
  const rig = await start(t, [at('AA'), at('BB')]);
  const send = async (fields: Readonly<Record<string, string | number>>): Promise<number> => {
    const url = `http://127.0.0.1:${port}/data/report`;
    const response = await fetch(url, { method: 'POST', headers: FORM_TYPE, body: ecowitt(fields) });
    return response.status;
  };
  const firstMs = 1_000 * Math.floor(Date.now() / 1_000) - 60_000;
  const station = (PASSKEY: string, second: number, totalrainin: number) => ({
    PASSKEY,
    dateutc: new Date(firstMs + 1_000 * second).toISOString().slice(0, 19).replace('T', ' '),
    totalrainin,
  });
  for (const [second, total] of [
    [0, 10],
    [1, 10],
    [2, 10.5],
    [3, 0.1],
  ] as const)
    assert.equal(await send(station('AA', second, total)), 200);
  assert.equal(await send({ PASSKEY: 'BB', tempf: 212, humidity: 130 }), 200);
  assert.equal(await send({ PASSKEY: 'CC', tempf: 212 }), 404);
  assert.deepEqual(rig.values, [
    'station-AA rain=0',
    'station-AA rain=12.7',
    'station-AA rain=2.54',
    'station-BB temperature=100 humidity=130',
  ]);
  assert.equal(rig.samples[0]?.atMs, firstMs + 1_000);
  assert.deepEqual(
    rig.samples[3]?.values.map(({ quality }) => quality),
    ['bad', 'bad'],
    'both are beyond their ranges',
  );
});

test('JSON and queries are taken, and everything else gets a clear error', async (t) => {
  const port = await freePort();
  const rig = await start(t, [attach('silo-1', JSON_SCALE, `listen://127.0.0.1:${port}/silo`)]);
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return `${response.status} ${(await response.text()).trim()}`;
  };
  const post = (body: string, headers = {}) => call('/silo', { method: 'POST', body, headers });
  assert.equal(await post('{"kg": 5}'), '200 OK');
  assert.equal(await post('{"kg": 6}', FORM_TYPE), '200 OK', 'the content counts');
  assert.equal(await call('/silo?kg=7'), '200 OK');
  assert.match(await call('/other?kg=7'), /^404 no device/);
  assert.match(await call('/silo', { method: 'DELETE' }), /^405 /);
  assert.match(await call('/silo'), /^400 the message is empty/);
  assert.match(await post('{"kg": '), /^400 the message is neither/);
  assert.match(await post('7'), /^400 /);
  assert.match(await post('hello world'), /^400 /);
  assert.match(await post('x'.repeat(300_000)), /^413 /);
  assert.deepEqual(rig.values, ['silo-1 weight=5', 'silo-1 weight=6', 'silo-1 weight=7']);
  assert.equal(rig.failures.filter(({ failure }) => failure.code === 'malformed').length, 3);
});

test('a path that is none, and a message that is cut off, are no faults of the bridge', async (t) => {
  const port = await freePort();
  const rig = await start(t, [attach('silo-1', JSON_SCALE, `listen://127.0.0.1:${port}/silo`)]);
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write('GET // HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 400 /);
  const cut = connect(port, '127.0.0.1');
  await new Promise((written) =>
    cut.write('POST /silo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{', written),
  );
  cut.destroy();
  const response = await fetch(`http://127.0.0.1:${port}/silo`, { method: 'POST', body: '{"kg": 3}' });
  assert.equal(response.status, 200);
  assert.deepEqual(rig.values, ['silo-1 weight=3']);
  assert.deepEqual(
    rig.log.filter((line) => line.includes('failed')),
    [],
  );
});

test('an endpoint with a login is closed to others', async (t) => {
  const port = await freePort();
  const device = attach('silo-1', JSON_SCALE, `listen://127.0.0.1:${port}/silo`);
  const rig = new RecordedDriver();
  const parts = { ...rig.parts, credentials: () => ({ username: 'scale', password: 'secret' }) };
  await rig.start(t, (events) => makeDriver([device], events, parts));
  const send = async (login?: string) => {
    const headers =
      login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
    return (await fetch(`http://127.0.0.1:${port}/silo`, { method: 'POST', body: '{"kg":1}', headers }))
      .status;
  };
  assert.deepEqual([await send(), await send('scale:wrong'), await send('scale:secret')], [401, 401, 200]);
});

test('of two entries for one path each takes only messages with its own login', async (t) => {
  const port = await freePort();
  const origin = `listen://127.0.0.1:${port}`;
  const logins = new Map([
    [`${origin}/data/`, { username: 'one', password: 'secret' }],
    [`${origin}/data`, { username: 'two', password: 'secret' }],
  ]);
  const rig = new RecordedDriver();
  const parts = { ...rig.parts, credentials: (endpoint: string) => logins.get(endpoint) ?? null };
  const devices = [`${origin}/data//`, `${origin}/data/`, `${origin}/data`].map((endpoint, index) =>
    attach(`silo-${index}`, JSON_SCALE, endpoint),
  );
  await rig.start(t, (events) => makeDriver(devices, events, parts));
  const send = async (path: string, login = '') => {
    const headers = { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
    const url = `http://127.0.0.1:${port}${path}`;
    return (await fetch(url, { method: 'POST', body: '{"kg":1}', headers })).status;
  };
  assert.deepEqual([await send('/data'), await send('/data/'), await send('/data//')], [401, 401, 401]);
  assert.deepEqual([await send('/data', 'one:secret'), await send('/data/', 'two:secret')], [200, 200]);
  assert.deepEqual(rig.values, ['silo-1 weight=1', 'silo-2 weight=1']);
});

test('what is asked is not shown where it is no JSON, and no link-local address is asked', async (t) => {
  const endpoint = await serve(t, (_request, response) => response.end('iam-role: AKIA'));
  const { parts } = new RecordedDriver();
  const failureAt = async (address: string): Promise<string> => {
    const device = attach('silo-1', JSON_SCALE, address);
    const failure = await readOnce(device, parts).catch((error: ReadError) => error);
    assert.ok(failure instanceof Error);
    return failure.message;
  };
  assert.equal(await failureAt(endpoint), '14 characters that are not JSON');
  const answers = await new Promise<string>((resolve) =>
    lookUpDevice('169.254.169.254', { all: true }, (error) => resolve(String(error))),
  );
  assert.match(answers, /has a link-local address only/);
});

test('a WeatherLink Live is asked; a record in another place is found', async (t) => {
  const iss = {
    data_structure_type: 1,
    txid: 1,
    temp: 62.7,
    hum: 50,
    wind_speed_last: 2,
    rain_size: 2,
    rainfall_year: 63,
  };
  const bar = { data_structure_type: 3, bar_sea_level: 30.008 };
  let count = 0;
  const endpoint = await serve(t, (_, response) => {
    count += 1;
    const conditions = count % 2 === 0 ? [iss, bar] : [bar, { ...iss, rainfall_year: 63 + count }];
    const ts = Math.floor(Date.now() / 1_000) + count;
    response.end(JSON.stringify({ data: { did: '001D0A700002', ts, conditions }, error: null }));
  });
  const device = attach('weather', WEATHERLINK, endpoint, { every: '100ms' });
  const rig = await start(t, [device]);
  await until(() => assert.ok(rig.samples.length >= 3));
  const [first] = rig.samples;
  assert.ok(first?.values.some(({ point, value }) => point === 'temperature' && value === 17.0555555556));
  assert.ok(first?.values.some(({ point, value }) => point === 'pressure' && value !== null));
  assert.equal(rig.stateOf('weather'), 'answering');
  const once = await readOnce(device, rig.parts);
  assert.ok(once.roundTripMs !== null && once.roundTripMs > 0);
  assert.ok(once.values.some(({ point, value }) => point === 'rain' && value !== null));
});

test('an answer that is late, an error, no JSON or too long is a failure, and the next good one ends it', async (t) => {
  const answers: RequestListener[] = [
    () => undefined,
    (_, response) => response.writeHead(500).end(),
    (_, response) => response.writeHead(302, { location: '/' }).end(),
    (_, response) => response.writeHead(403).end(),
    (_, response) => response.end('<html>'),
    (_, response) => response.end(JSON.stringify('x'.repeat(2_000_000))),
    (_, response) => response.end('{"kg": 9}'),
  ];
  let at = 0;
  const endpoint = await serve(t, (request, response) =>
    answers[Math.min(at++, answers.length - 1)]?.(request, response),
  );
  const device = attach('silo-1', JSON_SCALE, endpoint, { every: '100ms' });
  const codes: string[] = [];
  const { parts } = new RecordedDriver();
  for (let index = 0; index < answers.length - 1; index++)
    await readOnce(device, parts).catch((error: ReadError) => codes.push(error.code));
  assert.deepEqual(codes, ['timeout', 'exception', 'exception', 'not_authorized', 'malformed', 'malformed']);
  at = 1;
  answers.splice(2, 4);
  const rig = await start(t, [device]);
  await until(() => assert.deepEqual(rig.values[0], 'silo-1 weight=9'));
  assert.deepEqual(rig.failures[0]?.failure.points, ['weight'], 'nothing old is repeated');
  assert.equal(rig.driver.health()[0]?.breaker.nextTryMs, null);
});

test('a device that is asked and does not answer is silent, and the next try is known', async (t) => {
  const rig = await start(t, [
    attach('silo-1', JSON_SCALE, `http://127.0.0.1:${await freePort()}/`, { every: '100ms' }),
  ]);
  await until(() => assert.equal(rig.stateOf('silo-1'), 'silent'));
  const { breaker, lastFailure } = rig.driver.health()[0] ?? {};
  assert.equal(lastFailure?.code, 'connection_refused');
  assert.ok(breaker?.open && (breaker.nextTryMs ?? 0) > Date.now() - 1_000);
});

test('uplinks come as webhooks, too', async (t) => {
  const port = await freePort();
  const mapping = library('milesight-em400');
  const at = (id: string, network: string, address: string) =>
    attach(id, mapping, `listen://127.0.0.1:${port}/lorawan`, { network, address });
  const rig = await start(t, [at('bin-1', 'tts', 'sensor-1'), at('bin-2', 'tts', 'sensor-2')]);
  const uplink_message = { f_cnt: 1, decoded_payload: { distance: 1500, position: 'normal' } };
  for (const device_id of ['sensor-2', 'sensor-2', 'sensor-3']) {
    const body = JSON.stringify({
      end_device_ids: { device_id },
      received_at: '2026-11-18T04:00:01Z',
      uplink_message,
    });
    await fetch(`http://127.0.0.1:${port}/lorawan`, { method: 'POST', body });
  }
  assert.deepEqual(rig.values, ['bin-2 position=null distance=1500']);
});

test('a sender that never ends does not stop the others', async (t) => {
  const port = await freePort();
  const rig = await start(t, [attach('silo-1', JSON_SCALE, `listen://127.0.0.1:${port}/silo`)]);
  const sockets = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets)
    socket.write('POST /silo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{');
  const response = await fetch(`http://127.0.0.1:${port}/silo`, { method: 'POST', body: '{"kg": 3}' });
  assert.equal(response.status, 200);
  assert.deepEqual(rig.values, ['silo-1 weight=3']);
});
