import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { apiOf } from '@granary/testing/server/service';
import { createService } from '../compose.ts';
import { readSettings } from '../process/settings.ts';

/** A service that ends only when `release` is called, or after some seconds: it waits for a webhook whose name is being resolved. */
async function start(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'granary-ending-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }));
  const ports = { GRANARY_HTTP_PORT: '0', GRANARY_MQTT_PORT: '0', GRANARY_LOG_LEVEL: 'silent' };
  const resolving = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const resolve = async () => {
    resolving.resolve();
    await released;
    return [];
  };
  const settings = readSettings({ ...ports, GRANARY_DATA_DIR: dataDir });
  const service = createService(settings, { webhooks: { resolve } });
  const started = await service.start();
  t.after(() => service.stop());
  const api = apiOf(
    () => started,
    () => started.adminKey.key,
  );
  await api.post('/v1/webhooks', { url: 'https://receiver.example/events' });
  return { service, started, api, release, resolving: resolving.promise };
}

/** Sends a request on a connection of its own, and returns the status of the answer. */
const post = (url: string, key: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const sent = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });

test('while the service ends, stops reach their devices and everything else is refused with the error body', async (t) => {
  const { service, api, release, resolving } = await start(t);
  const silo = await startSilo(api, 'ending');
  const rover = await startRover(api, 'ending-rover');
  t.after(() => Promise.all([silo.leave(), rover.leave()]));
  const { operation_id } = (await api.post(`${silo.path}/operations/feed`, { amount: 10 })).body.data;
  await silo.take('start');
  await resolving;

  const ended = service.stop();
  // The requests are sent at once, because the webhook holds the end for three seconds at most.
  const command = `${rover.path}/remote/command`;
  const stops = [
    api.post(`${silo.path}/operations/${operation_id}/stop`),
    api.post(command, { command: 'emergency_stop' }),
  ];
  const others = [
    api.post(command, { command: 'hold' }),
    api.post(`${silo.path}/operations/feed`, { amount: 10 }),
    api.get('/livez'),
  ];
  await Promise.all([silo.take('stop'), rover.take('execute')]);
  for (const { status } of await Promise.all(stops)) assert.equal(status, 200);
  for (const { status, headers, body } of await Promise.all(others)) {
    const { success, error } = body;
    assert.deepEqual([status, success, error.code], [503, false, 'service_stopping']);
    assert.equal(error.request_id, headers.get('x-request-id'));
    assert.deepEqual([headers.get('connection'), headers.get('retry-after')], ['close', '5']);
  }
  release();
  await ended;
});

test('stops whose connections are not accepted yet when the service ends are served', async (t) => {
  const { service, started, api, release, resolving } = await start(t);
  const silo = await startSilo(api, 'last');
  t.after(() => silo.leave());
  const { operation_id } = (await api.post(`${silo.path}/operations/feed`, { amount: 10 })).body.data;
  await silo.take('start');
  await resolving;
  release();

  // One connection is accepted in each turn of the event loop, and the end takes fewer turns than this.
  const stop = `${started.httpUrl}${silo.path}/operations/${operation_id}/stop`;
  const stops = Array.from({ length: 200 }, () => post(stop, started.adminKey.key));
  const ended = service.stop();
  for (const status of await Promise.all(stops)) assert.equal(status, 200);
  await ended;
});
