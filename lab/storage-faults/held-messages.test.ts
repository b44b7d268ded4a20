import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import { toIso } from '@granary/contract/time';
import { rawReadings } from '@granary/testing/app/raw-readings';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, siloNamed } from '@granary/testing/server/service';
import { connectAsync } from 'mqtt';
import { feedingSilo, inTime, type Rig, startRig, untilStored } from './rig.ts';

const SILOS = '/v1/siloscale/devices';
const DEVICES = ['held-1', 'held-2', 'held-3', 'held-4'];
/** Shorter than the outage, because a connection whose messages wait must still answer pings. */
const KEEP_ALIVE_S = 2;
const OUTAGE_MS = 6_000;
const IN_FLIGHT = 5;

interface Publishing {
  readonly acknowledgedMs: readonly number[];
  /** Returns the number of ended connections. */
  readonly closes: () => number;
  stop(): Promise<void>;
}

/** Publishes the same weight continuously on one connection, without reconnecting. */
async function startPublishing(api: Api, deviceId: string, weight: number): Promise<Publishing> {
  const { username, secret: password } = (await api.post(SILOS, siloNamed(deviceId))).body.data.credentials;
  const login = { clientId: username, username, password, reconnectPeriod: 0, keepalive: KEEP_ALIVE_S };
  const client = await connectAsync(api.started.mqttUrl, login);
  const acknowledgedMs: number[] = [];
  let closes = 0;
  client.on('close', () => closes++);
  client.on('error', () => undefined);
  let isStopped = false;
  let lastMs = 0;
  const lane = async (): Promise<void> => {
    while (!isStopped && closes === 0) {
      lastMs = Math.max(Date.now(), lastMs + 1);
      const ts = lastMs;
      const payload = JSON.stringify({ ts, weight });
      await client.publishAsync(topicOf(deviceId, 'telemetry'), payload, { qos: 1 });
      acknowledgedMs.push(ts);
      await sleep(5);
    }
  };
  const lanes = Array.from({ length: IN_FLIGHT }, () => lane().catch(() => undefined));
  return {
    acknowledgedMs,
    closes: () => closes,
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
      assert.equal(closes, 0, `${deviceId} was disconnected`);
      await client.endAsync();
    },
  };
}

describe('while PostgreSQL is down', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.stop());

  test('devices stay connected, their messages wait, and nothing acknowledged is lost', async () => {
    const { api, postgres } = rig;
    const publishing = await Promise.all(DEVICES.map((deviceId, n) => startPublishing(api, deviceId, n + 1)));
    const counts = () => publishing.map(({ acknowledgedMs }) => acknowledgedMs.length);
    const goesOn = async () => {
      const sofar = counts();
      await eventually(async () => counts().every((count, n) => count > (sofar[n] ?? 0) + IN_FLIGHT), true);
    };
    const reading = { ts: Date.now(), temperature: 1 };
    const isAnswered503 = async () => {
      const answer = await inTime(api.post(`${SILOS}/held-1/telemetry`, reading));
      assert.equal(answer.status, 503, answer.text);
    };

    await goesOn();
    await postgres.freeze();
    await Promise.all([isAnswered503(), sleep(OUTAGE_MS)]);
    await postgres.thaw();
    await goesOn();
    for (let kill = 0; kill < 2; kill++) {
      await postgres.kill();
      await Promise.all([isAnswered503(), sleep(OUTAGE_MS / 2)]);
      await postgres.restart();
      await goesOn();
    }
    for (const one of publishing) await one.stop();

    const raw = await rawReadings({ engine: 'postgres', url: postgres.url });
    assert.equal(raw.length, new Set(raw.map(({ deviceNo, tsMs }) => `${deviceNo} ${tsMs}`)).size);
    for (const [n, { acknowledgedMs }] of publishing.entries()) {
      const own = raw.filter(({ a: weightG }) => weightG === (n + 1) * 1_000);
      const stored = new Set(own.map(({ tsMs }) => tsMs));
      const lost = acknowledgedMs.filter((tsMs) => !stored.has(tsMs));
      assert.deepEqual(lost, []);
    }
  });

  test('values of declared sensors wait, also when the sensors were not looked up before', async () => {
    const { api, postgres } = rig;
    const sensors = [{ sensor_id: 'co2', type: 'co2', unit: 'ppm', precision: 0 }];
    const silo = await startSilo(api, 'declared');
    const path = `${SILOS}/declared`;
    for (const fail of ['kill', 'freeze'] as const) {
      assert.equal((await api.patch(path, { sensors: [] })).status, 200);
      assert.equal((await api.patch(path, { sensors })).status, 200);
      const ts = Date.now();
      await postgres[fail]();
      const sent = silo.publish('telemetry', { ts, weight: 7, sensors: { co2: 400 } });
      const [patched] = await Promise.all([inTime(api.patch(path, { sensors: [] })), sleep(OUTAGE_MS)]);
      assert.equal(patched.status, 503, patched.text);
      await (fail === 'kill' ? postgres.restart() : postgres.thaw());
      await sent;
      const { data } = (await untilStored(() => api.get(`${path}/sensors`))).body;
      assert.deepEqual([data.level.actual, data.level.timestamp], [7, toIso(ts)]);
    }
    assert.equal((await api.get(`${path}/rejections`)).body.data.total, 0);
    const { connects, connected } = (await api.get(`${path}/link`)).body.data;
    assert.deepEqual([connects, connected], [1, true]);
    await silo.leave();
  });

  test('what a device reports of its operation waits, and is processed once and in order', async () => {
    const { api, postgres } = rig;
    const { silo, operationId, path } = await feedingSilo(api, 'reporting');
    await postgres.kill();
    const reports = [10, 20, 30].map((amount_kg) =>
      silo.progress({ operation_id: operationId, state: 'running', amount_kg }),
    );
    reports.push(silo.progress({ operation_id: operationId, state: 'completed', amount_kg: 100 }));
    await sleep(OUTAGE_MS / 2);
    await postgres.restart();
    await Promise.all(reports);
    const { status, amount_completed } = (await inTime(api.get(path))).body.data;
    assert.deepEqual([status, amount_completed], ['completed', 100]);
    assert.equal((await api.get(`${silo.path}/rejections`)).body.data.total, 0);
    await silo.leave();
  });
});
