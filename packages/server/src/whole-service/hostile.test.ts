import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import { SECOND_MS } from '@granary/contract/time';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { hostilePayloads } from '@granary/testing/server/hostile-payloads';
import { apiOf, siloNamed } from '@granary/testing/server/service';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';
import { connect, connectAsync, type MqttClient } from 'mqtt';

const SILOS = '/v1/siloscale/devices';
const REPORT_MS = 200;
const RECONNECT_MS = 20;
const { goodDevices, attackMs } = IS_FULL_SIZE
  ? { goodDevices: 100, attackMs: 60 * SECOND_MS }
  : { goodDevices: 30, attackMs: 8 * SECOND_MS };

interface Login {
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
}

let folder = '';
let service: ServiceProcess | undefined;
const clients: MqttClient[] = [];
after(async () => {
  for (const client of clients) client.end(true);
  await service?.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Sends the payloads as fast as the service reads, and connects again each time it is disconnected. */
function attack(mqttUrl: string, login: Login): { stop(): void; readonly sent: () => number } {
  const startedMs = Date.now();
  let sent = 0;
  let round = 0;
  let isOver = false;
  const client = connect(mqttUrl, { ...login, reconnectPeriod: RECONNECT_MS, queueQoSZero: false });
  clients.push(client);
  client.on('error', () => undefined);
  client.on('connect', async () => {
    const { stream } = client;
    while (!isOver && client.stream === stream && !stream.destroyed) {
      for (const payload of hostilePayloads(startedMs, round++)) {
        client.publish(topicOf(login.username, 'telemetry'), payload, { qos: 0 });
        sent++;
      }
      // The client has a limited number of bytes waiting, and waits until the service has read them.
      while (!isOver && !stream.destroyed && stream.writableNeedDrain) await sleep(1);
      await sleep(0);
    }
  });
  return {
    sent: () => sent,
    stop: () => {
      isOver = true;
      client.end(true);
    },
  };
}

test('one device that sends invalid messages at full speed affects no reading and no connection of the others', async (t) => {
  folder = await mkdtemp(join(tmpdir(), 'granary-hostile-'));
  service = await startServiceProcess({ GRANARY_DATA_DIR: folder, GRANARY_RATE_LIMIT: 'off' });
  const { mqttUrl, adminKey } = service;
  const api = apiOf(
    () => service ?? assert.fail(),
    () => adminKey.key,
  );
  const register = async (deviceId: string): Promise<Login> => {
    const { username, secret } = (await api.post(SILOS, siloNamed(deviceId))).body.data.credentials;
    return { clientId: username, username, password: secret };
  };
  const hostile = await register('hostile');
  let disconnects = 0;
  const acknowledged = new Map<string, number>();
  const good: { readonly login: Login; readonly client: MqttClient }[] = [];
  for (let index = 0; index < goodDevices; index++) {
    const login = await register(`good-${index}`);
    const client = await connectAsync(mqttUrl, { ...login, reconnectPeriod: 0 });
    clients.push(client);
    client.on('close', () => disconnects++);
    good.push({ login, client });
  }
  const attacker = attack(mqttUrl, hostile);
  const untilMs = Date.now() + attackMs;
  await Promise.all(
    good.map(async ({ login, client }) => {
      for (let count = 0; Date.now() < untilMs; count++) {
        const payload = JSON.stringify({ ts: Date.now(), weight: 500 + (count % 100) });
        await client.publishAsync(topicOf(login.username, 'telemetry'), payload, { qos: 1 });
        acknowledged.set(login.username, count + 1);
        await sleep(REPORT_MS);
      }
    }),
  );
  attacker.stop();
  assert.equal(disconnects, 0, 'connections that the service closed');
  for (const { login } of good) {
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const path = `${SILOS}/${login.username}/sensors/history?aggregate=count&interval=1h&to=${to}`;
    const { points } = (await api.get(path)).body.data;
    const stored = points.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
    assert.equal(stored, acknowledged.get(login.username), login.username);
  }
  const { total } = (await api.get(`${SILOS}/hostile/rejections`)).body.data;
  assert.ok(total > 0, 'rejections are listed');
  t.diagnostic(`${attacker.sent()} hostile messages, ${total} rejections`);
});
