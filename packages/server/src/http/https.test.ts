import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect as connectPlain, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { connect as connectSecure } from 'node:tls';
import { newCertificate } from '@granary/testing/link/certificates';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { apiOf } from '@granary/testing/server/service';
import { createService } from '../compose.ts';
import { readSettings } from '../process/settings.ts';
import { StartError } from '../process/start-error.ts';
import { RESERVED_PER_ADDRESS_MAX } from './access/connection-limits.ts';

let folder = '';
let ca = '';
const at = (name: string): string => join(folder, name);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'granary-https-'));
  const { cert, key } = newCertificate('first');
  await writeFile(at('cert.pem'), cert);
  await writeFile(at('key.pem'), key);
  ca = cert.toString();
});
after(() => rm(folder, { recursive: true, force: true }));

const serviceWith = (env: Record<string, string>, dataDir: string) =>
  createService(
    readSettings({
      GRANARY_HTTP_PORT: '0',
      GRANARY_HTTPS_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_MQTTS_PORT: '0',
      GRANARY_TLS_CERT: at('cert.pem'),
      GRANARY_TLS_KEY: at('key.pem'),
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_DATA_DIR: at(dataDir),
      ...env,
    }),
  );

async function start(t: TestContext, dataDir: string, env: Record<string, string> = {}) {
  const service = serviceWith(env, dataDir);
  const started = await service.start();
  t.after(() => service.stop());
  const httpsUrl = started.httpsUrl ?? '';
  return {
    service,
    started,
    httpsUrl,
    api: apiOf(
      () => started,
      () => started.adminKey.key,
    ),
  };
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Sends one request on a connection of its own. */
async function send(url: string, { method = 'GET', headers = {} }: Sent = {}) {
  const sent = request(url, { ca, agent: false, method, headers });
  sent.end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: Number(response.statusCode), headers: response.headers, text };
}

const isOpen = (socket: { destroyed: boolean }) => !socket.destroyed;

describe('HTTPS', () => {
  test('answers like the plain port, with the same routes, errors and headers', async (t) => {
    const { started, httpsUrl } = await start(t, 'both');
    const authorization = `Bearer ${started.adminKey.key}`;
    const listed = await send(`${httpsUrl}/v1/siloscale/devices`, { headers: { authorization } });
    assert.equal(listed.status, 200);
    assert.equal(listed.headers['x-content-type-options'], 'nosniff');
    assert.equal((await send(`${httpsUrl}/v1/siloscale/devices`)).status, 401);
    assert.equal((await fetch(`${started.httpUrl}/livez`)).status, 200);
    assert.match(started.mqttsUrl ?? '', /^mqtts:\/\/127\.0\.0\.1:\d+$/);
  });

  test('can be the only port, and closes idle connections when it stops', async (t) => {
    const { service, started } = await start(t, 'only', {
      GRANARY_HTTP_PORT: 'off',
      GRANARY_MQTT_PORT: 'off',
    });
    assert.equal(started.httpUrl, started.httpsUrl);
    assert.equal(started.mqttUrl, started.mqttsUrl);
    const { port } = new URL(started.httpUrl);
    const idle = connectSecure({ host: '127.0.0.1', port: Number(port), ca });
    idle.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    idle.resume();
    const ended = once(idle, 'close');
    await service.stop();
    await ended;
    await assert.rejects(send(`${started.httpUrl}/livez`), { code: 'ECONNREFUSED' });
  });

  test('a stop of the service ends event streams and finishes running requests', async (t) => {
    const { service, started, httpsUrl } = await start(t, 'streams');
    const headers = { authorization: `Bearer ${started.adminKey.key}` };
    const stream = request(`${httpsUrl}/v1/events`, { ca, agent: false, headers });
    stream.end();
    const [response] = await once(stream, 'response');
    response.resume();
    const ended = once(response, 'close');
    await service.stop();
    await ended;
  });

  test('a plain request, garbage and a missing handshake are closed without an answer', async (t) => {
    const { httpsUrl } = await start(t, 'handshakes', { GRANARY_HTTP_HEADERS_TIMEOUT_S: '1' });
    const { port } = new URL(httpsUrl);
    for (const bytes of ['GET /livez HTTP/1.1\r\nHost: x\r\n\r\n', '\x16\x03\x01\x00\x05hello', '']) {
      const socket = connectPlain(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.write(bytes);
      await once(socket, 'close');
      assert.doesNotMatch(received, /HTTP/);
    }
    assert.equal((await send(`${httpsUrl}/livez`)).status, 200);
  });

  test('slow headers are answered with 408, as on the plain port', async (t) => {
    const { httpsUrl } = await start(t, 'slow', { GRANARY_HTTP_HEADERS_TIMEOUT_S: '1' });
    const socket = connectSecure({ host: '127.0.0.1', port: Number(new URL(httpsUrl).port), ca });
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
    await once(socket, 'close');
    assert.match(received, /^HTTP\/1\.1 408 .*"request_timeout"/s);
  });

  test('connections of both ports are limited together, those without a handshake too, and a stop is served', async (t) => {
    const limits = { GRANARY_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4' };
    const { started, httpsUrl, api } = await start(t, 'limits', limits);
    const silo = await startSilo(api, 'tls-limits');
    const feed = await api.post(`${silo.path}/operations/feed`, { amount: 10 });
    assert.equal(feed.status, 200, feed.text);
    const { port } = new URL(httpsUrl);
    const plainPort = Number(new URL(started.httpUrl).port);
    const opened = Array.from({ length: 4 + RESERVED_PER_ADDRESS_MAX + 4 }, (_, index) => {
      const socket = connectPlain(index % 2 === 0 ? Number(port) : plainPort, '127.0.0.1');
      t.after(() => socket.destroy());
      return socket.on('error', () => undefined).resume();
    });
    // The keep-alive connections of the fetch above also count.
    await eventually(async () => opened.filter(isOpen).length <= 4 + RESERVED_PER_ADDRESS_MAX, true);
    const refused = await send(`${httpsUrl}/livez`);
    assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [503, 'too_many_connections']);
    const headers = { authorization: `Bearer ${started.adminKey.key}` };
    const stopPath = `${silo.path}/operations/${feed.body.data.operation_id}/stop`;
    const stopped = await send(httpsUrl + stopPath, { method: 'POST', headers });
    assert.ok([200, 202].includes(stopped.status), stopped.text);
  });

  test('a replaced certificate is used after a reload, on both ports', async (t) => {
    const { service, started, httpsUrl } = await start(t, 'renewal');
    const nameOn = async (url: string) => {
      const { port } = new URL(url);
      const socket = connectSecure({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const name = socket.getPeerCertificate().subject.CN;
      socket.destroy();
      return name;
    };
    const urls = [httpsUrl, started.mqttsUrl ?? ''];
    assert.deepEqual(await Promise.all(urls.map(nameOn)), ['first', 'first']);
    const { cert, key } = newCertificate('second');
    await writeFile(at('cert.pem'), cert);
    await writeFile(at('key.pem'), key);
    await service.reload();
    assert.deepEqual(await Promise.all(urls.map(nameOn)), ['second', 'second']);
  });

  const oneLine = (text: RegExp) => (error: unknown) => {
    assert.ok(error instanceof StartError, String(error));
    assert.match(error.message, text);
    assert.equal(error.message.includes('\n'), false);
    return true;
  };

  test('a missing certificate and ports in use are one line at the start', async (t) => {
    const missing = serviceWith({ GRANARY_TLS_CERT: at('none.pem') }, 'faults');
    await assert.rejects(
      missing.start(),
      oneLine(/^GRANARY_TLS_CERT \(.*none\.pem\): there is no such file/),
    );
    const taken = createServer().listen(0, '127.0.0.1');
    t.after(() => taken.close());
    await once(taken, 'listening');
    const address = taken.address();
    const port = String(address !== null && typeof address === 'object' ? address.port : 0);
    for (const name of ['GRANARY_HTTPS_PORT', 'GRANARY_MQTTS_PORT']) {
      const service = serviceWith({ [name]: port }, 'faults');
      await assert.rejects(
        service.start(),
        oneLine(new RegExp(`^${name} \\(127.0.0.1:${port}\\): .*in use`)),
      );
    }
  });
});
