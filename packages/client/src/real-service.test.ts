import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultyProxy, portOf } from '@granary/testing/client/faulty-proxy';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { apiOf, siloNamed } from '@granary/testing/server/service';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';
import { validatedUrl } from '@granary/testing/server/validated-url';
import { createClient } from './client.ts';
import type { EventFilter } from './streams/events.ts';
import type { ConnectionChange } from './streams/reconnecting.ts';

const CUTS = 30;
const CHANGES_PER_CUT = 3;
const PATIENT_MS = 60_000;

/** Starts the service as a separate process; `reopen` starts it again with the same data. */
async function startService(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'granary-client-'));
  const open = () => startServiceProcess({ GRANARY_DATA_DIR: folder, GRANARY_RATE_LIMIT: 'off' });
  let service: ServiceProcess = await open();
  t.after(async () => {
    await service.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const apiKey = service.adminKey.key;
  const httpUrl = await validatedUrl(t, service.httpUrl);
  const proxy = await FaultyProxy.start(t, httpUrl);
  return {
    proxy,
    api: apiOf(
      () => service,
      () => apiKey,
    ),
    direct: createClient({ baseUrl: httpUrl, apiKey }),
    client: createClient({ baseUrl: proxy.url, apiKey, timeLimitMs: PATIENT_MS }),
    kill: () => service.kill(),
    reopen: async () => {
      service = await open();
      return { httpUrl: await validatedUrl(t, service.httpUrl) };
    },
  };
}

type Running = Awaited<ReturnType<typeof startService>>;

/** Follows the events through the proxy, and records their ids and every change of the connection. */
function follow({ client, direct }: Running, filter: EventFilter) {
  const ids: number[] = [];
  const changes: ConnectionChange[] = [];
  const losses = (): number => changes.filter(({ isConnected }) => !isConnected).length;
  const stopped = new AbortController();
  const onConnection = (change: ConnectionChange): void => {
    changes.push(change);
  };
  const following = (async () => {
    for await (const item of client.events.stream({ ...filter, signal: stopped.signal, onConnection })) {
      assert.equal(item.kind, 'event');
      if (item.kind === 'event') ids.push(item.event.id);
    }
  })();
  return {
    ids,
    changes,
    connected: async () => {
      while (changes.at(-1)?.isConnected !== true) await sleep(2);
    },
    /** Waits for the next loss of the connection, which the client may notice later than the proxy. */
    lost: async (before: number) => {
      while (losses() === before) await Promise.race([sleep(2), following]);
    },
    losses,
    /** Creates one more event and waits until `count` events have arrived; an event that came twice would be counted twice. */
    end: async (count: number) => {
      await direct.devices.silo.update('s', { name: 'The last event' });
      while (ids.length < count) await Promise.race([sleep(20), following]);
      stopped.abort();
      await following;
    },
  };
}

const numbersFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

test('a stream that is cut again and again loses no event and repeats none', async (t) => {
  const running = await startService(t);
  const { direct, proxy } = running;
  await direct.devices.silo.register(siloNamed('s'));
  const followed = follow(running, { reconnectMs: 5 });
  await followed.connected();
  for (let cut = 0; cut < CUTS; cut++) {
    await followed.connected();
    const changes = numbersFrom(0, CHANGES_PER_CUT).map((change) =>
      direct.devices.silo.update('s', { name: `Silo ${cut}.${change}` }),
    );
    await Promise.race(changes);
    const before = followed.losses();
    proxy.cut();
    await Promise.all(changes);
    await followed.lost(before);
  }
  const count = CUTS * CHANGES_PER_CUT + 1;
  await followed.end(count);
  assert.ok(followed.losses() >= CUTS);
  assert.deepEqual(followed.ids, numbersFrom(followed.ids[0] ?? 0, count));
});

test('a proxy that holds data back for a while delays events but loses none', async (t) => {
  const running = await startService(t);
  const { direct, proxy } = running;
  proxy.releaseEveryMs = 300;
  await direct.devices.silo.register(siloNamed('s'));
  const followed = follow(running, { lastEventId: 0, reconnectMs: 5 });
  for (const change of numbersFrom(0, 20)) await direct.devices.silo.update('s', { name: `Silo ${change}` });
  // There are two events before the changes: the issued key and the registration.
  await followed.end(23);
  assert.deepEqual(followed.ids, numbersFrom(1, 23));
});

test('a proxy that passes nothing on is reported, and the stream continues when it passes again', async (t) => {
  const running = await startService(t);
  const { direct, proxy } = running;
  proxy.losesAnswers = true;
  await direct.devices.silo.register(siloNamed('s'));
  const followed = follow(running, { lastEventId: 0, reconnectMs: 5, silenceMs: 300 });
  while (followed.changes.length === 0) await sleep(20);
  const [first] = followed.changes;
  assert.ok(first?.isConnected === false);
  assert.match(first.failure?.message ?? '', /a proxy may hold the stream back/);
  proxy.losesAnswers = false;
  await followed.end(3);
  assert.deepEqual(followed.ids, [1, 2, 3]);
});

test('a start whose answer is lost with the killed service starts one operation', async (t) => {
  const running = await startService(t);
  const { client, proxy, api } = running;
  const silo = await startSilo(api, 's');
  t.after(() => silo.leave());
  const answered = Promise.withResolvers<void>();
  proxy.losesAnswers = true;
  proxy.onAnswer = () => answered.resolve();
  const starting = client.operations.feed('s', { amount: 10, unit: 'kg' });
  await answered.promise;
  while (silo.commands.length === 0) await sleep(5);
  proxy.targetPort = null;
  await running.kill();
  proxy.cut();
  const { httpUrl } = await running.reopen();
  proxy.losesAnswers = false;
  proxy.targetPort = portOf(httpUrl);
  const { operation_id } = await starting;
  const { data } = await createClient({ baseUrl: httpUrl, apiKey: bearerOf(api) }).operations.list('s');
  assert.deepEqual(
    data.map((operation) => operation.operation_id),
    [operation_id],
  );
  assert.equal(silo.commands.length, 1);
});

test('a start that is lost before the killed service gets it starts one operation', async (t) => {
  const running = await startService(t);
  const { client, proxy, api } = running;
  const silo = await startSilo(api, 's');
  t.after(() => silo.leave());
  const sent = Promise.withResolvers<void>();
  proxy.losesRequests = true;
  proxy.onRequest = () => sent.resolve();
  const starting = client.operations.feed('s', { amount: 10, unit: 'kg' });
  await sent.promise;
  proxy.targetPort = null;
  await running.kill();
  proxy.cut();
  const { httpUrl } = await running.reopen();
  await silo.reconnect();
  await silo.weigh(500);
  proxy.losesRequests = false;
  proxy.targetPort = portOf(httpUrl);
  const { operation_id } = await starting;
  const { data } = await client.operations.list('s');
  assert.deepEqual(
    data.map((operation) => operation.operation_id),
    [operation_id],
  );
});

test('a stream of newest values begins again with every device after the service was killed', async (t) => {
  const running = await startService(t);
  const { client, proxy, direct } = running;
  for (const id of ['a', 'b']) await direct.devices.silo.register(siloNamed(id));
  const messages = client.readings.stream({ reconnectMs: 20 });
  const weights = async (): Promise<Record<string, number | undefined>> => {
    const { value } = await messages.next();
    return Object.fromEntries(
      (value?.devices ?? []).map(({ device_id, readings }) => [device_id, readings['weight']?.value]),
    );
  };
  assert.deepEqual(await weights(), { a: undefined, b: undefined });
  await direct.telemetry.send('silo', 'a', { ts: Date.now(), weight: 100 });
  assert.deepEqual(await weights(), { a: 100 });
  proxy.targetPort = null;
  await running.kill();
  const { httpUrl } = await running.reopen();
  proxy.targetPort = portOf(httpUrl);
  assert.deepEqual(await weights(), { a: 100, b: undefined });
  await messages.return();
});

test('an iteration over pages ends with the reason of its signal', async (t) => {
  const { client } = await startService(t);
  for (const id of ['a', 'b', 'c']) await client.devices.silo.register(siloNamed(id));
  const everything = await Array.fromAsync(client.devices.silo.listAll({ limit: 1 }), (one) => one.device_id);
  assert.deepEqual(everything, ['a', 'b', 'c']);
  const cancelled = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const device of client.devices.silo.listAll({ limit: 1 }, { signal: cancelled.signal })) {
      seen.push(device.device_id);
      cancelled.abort();
    }
  })();
  await assert.rejects(reading, { name: 'AbortError' });
  assert.deepEqual(seen, ['a']);
});

const bearerOf = ({ authorization }: { authorization: Readonly<Record<string, string>> }): string =>
  (authorization['authorization'] ?? '').replace('Bearer ', '');
