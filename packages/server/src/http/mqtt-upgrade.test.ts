import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { newCertificate } from '@granary/testing/link/certificates';
import { mayTestWith, OutsideClient, pythonWithPaho } from '@granary/testing/link/outside-clients';
import { eventually } from '@granary/testing/server/eventually';
import { exchange, RawConnection } from '@granary/testing/server/raw-http';
import { apiOf, siloNamed } from '@granary/testing/server/service';
import mqtt, { type IClientOptions } from 'mqtt';
import { WebSocket } from 'ws';
import { createService } from '../compose.ts';
import { readSettings } from '../process/settings.ts';

async function start(t: TestContext, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'granary-ws-'));
  const { cert, key } = newCertificate();
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await Promise.all([writeFile(files.cert, cert), writeFile(files.key, key)]);
  const ports = ['HTTP', 'HTTPS', 'MQTT', 'MQTTS'].map((name) => [`GRANARY_${name}_PORT`, '0']);
  const service = createService(
    readSettings({
      ...Object.fromEntries(ports),
      GRANARY_TLS_CERT: files.cert,
      GRANARY_TLS_KEY: files.key,
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_DATA_DIR: join(folder, 'data'),
      ...env,
    }),
  );
  const started = await service.start();
  t.after(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const api = apiOf(
    () => started,
    () => started.adminKey.key,
  );
  const registered = await api.post('/v1/siloscale/devices', siloNamed('ws-silo'));
  const { secret } = registered.body.data.credentials;
  const level = async (): Promise<number | null> =>
    (await api.get('/v1/siloscale/devices/ws-silo/sensors')).body.data.level.actual;
  return { service, started, api, secret, ca: cert, level };
}

const webSocketUrl = (httpUrl: string): string => `${httpUrl.replace(/^http/, 'ws')}/mqtt`;

async function connectOver(t: TestContext, httpUrl: string, secret: string, options: IClientOptions = {}) {
  const login = { clientId: 'ws-silo', username: 'ws-silo', password: secret };
  const all = { ...login, reconnectPeriod: 0, ...options };
  const client = await mqtt.connectAsync(webSocketUrl(httpUrl), all, false);
  client.on('error', () => undefined);
  t.after(() => client.end(true));
  return client;
}

const reading = (weight: number): string => JSON.stringify({ ts: Date.now(), weight });

test('a device reports and is sent messages over WebSocket, with and without TLS', async (t) => {
  const { started, api, secret, ca, level } = await start(t);
  for (const [index, url] of [started.httpUrl, started.httpsUrl ?? ''].entries()) {
    const client = await connectOver(t, url, secret, { ca });
    await client.publishAsync(topicOf('ws-silo', 'telemetry'), reading(100 + index), { qos: 1 });
    assert.equal(await level(), 100 + index);
    const received = new Promise<string>((resolve) => {
      client.once('message', (topic) => resolve(topic));
    });
    await client.subscribeAsync(topicOf('ws-silo', 'config'), { qos: 1 });
    await api.put('/v1/siloscale/devices/ws-silo/config', { thresholds: { low_level: 20 + index } });
    assert.equal(await received, topicOf('ws-silo', 'config'));
    const { data } = (await api.get('/v1/siloscale/devices/ws-silo/link')).body;
    assert.equal(data.connected, true, JSON.stringify(data));
    await client.endAsync();
  }
  await assert.rejects(connectOver(t, started.httpUrl, 'wrong'));
});

const PAHO = `
import sys, paho.mqtt.client as mqtt
port, secret, topic, payload = sys.argv[1:]
client = mqtt.Client("ws-silo", transport="websockets")
client.ws_set_options(path="/mqtt")
client.username_pw_set("ws-silo", secret)
client.on_connect = lambda c, u, f, rc: c.publish(topic, payload, qos=1) if rc == 0 else sys.exit(rc)
client.on_publish = lambda c, u, mid: c.disconnect()
client.connect("127.0.0.1", int(port))
client.loop_forever()
`;

test('paho over WebSocket is received', async (t) => {
  const python = pythonWithPaho();
  if (!mayTestWith(t, 'paho', python !== undefined)) return;
  const { started, secret, level } = await start(t);
  const { port } = new URL(started.httpUrl);
  const args = ['-c', PAHO, port, secret, topicOf('ws-silo', 'telemetry'), reading(321)];
  assert.equal(await new OutsideClient(t, python ?? '', args).exit(), 0);
  assert.equal(await level(), 321);
});

const handshake = (path: string, ...headers: string[]): string =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
    '',
    '',
  ].join('\r\n');

test('what is no MQTT over WebSocket is refused, and other requests ignore an upgrade', async (t) => {
  const { started } = await start(t);
  const statusOf = async (bytes: string) => (await exchange(started.httpUrl, bytes))?.status;
  assert.equal(await statusOf(handshake('/mqtt', 'Sec-WebSocket-Protocol: mqtt')), 101);
  assert.equal(await statusOf(handshake('/mqtt')), 400);
  assert.equal(await statusOf(handshake('/mqtt', 'Sec-WebSocket-Protocol: chat')), 400);
  assert.equal(await statusOf(handshake('/livez', 'Sec-WebSocket-Protocol: mqtt')), 200);
  assert.equal(
    await statusOf('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
    200,
  );
  assert.equal(await statusOf('GET /mqtt HTTP/1.1\r\nHost: x\r\n\r\n'), 404);
});

test('a page of another site cannot open a WebSocket', async (t) => {
  const { started } = await start(t, { GRANARY_PUBLIC_URL: 'https://granary.example' });
  const open = async (origin: string) => {
    const bytes = handshake('/mqtt', 'Sec-WebSocket-Protocol: mqtt', `Origin: ${origin}`);
    return await exchange(started.httpUrl, bytes);
  };
  for (const own of ['http://x', 'https://x', 'https://granary.example'])
    assert.equal((await open(own))?.status, 101, own);
  for (const foreign of ['https://x:444', 'http://evil.example', 'null']) {
    const answer = await open(foreign);
    assert.equal(answer?.status, 403, foreign);
    assert.match(answer.text, /cross_site_request/);
  }
});

test('text frames, garbage and frames that are too large end the connection, and only this one', async (t) => {
  const { started, secret, level } = await start(t);
  const good = await connectOver(t, started.httpUrl, secret);
  for (const message of ['text', Buffer.from('garbage'), Buffer.alloc(2_000_000, 0x30)]) {
    const socket = new WebSocket(webSocketUrl(started.httpUrl), 'mqtt');
    socket.on('error', () => undefined);
    await once(socket, 'open');
    socket.send(message);
    await once(socket, 'close');
  }
  await good.publishAsync(topicOf('ws-silo', 'telemetry'), reading(55), { qos: 1 });
  assert.equal(await level(), 55);
});

test('a stop of the service closes WebSockets', async (t) => {
  const { service, started, secret } = await start(t);
  const client = await connectOver(t, started.httpUrl, secret);
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  await Promise.all([service.stop(), closed]);
});

test('beyond the limit of connections a WebSocket is refused, because only stops are served there', async (t) => {
  const { started } = await start(t, { GRANARY_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4' });
  const idle = await Promise.all(Array.from({ length: 4 }, () => RawConnection.open(started.httpUrl)));
  t.after(() => idle.map((connection) => connection.close()));
  const answer = await exchange(started.httpUrl, handshake('/mqtt', 'Sec-WebSocket-Protocol: mqtt'));
  assert.equal(answer?.status, 503);
  await eventually(async () => answer?.text.includes('too_many_connections') ?? false, true);
});
