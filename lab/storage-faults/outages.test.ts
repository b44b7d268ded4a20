import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from '@granary/app/app';
import { rawReadings } from '@granary/testing/app/raw-readings';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { startPublisher } from '@granary/testing/server/devices/publisher';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { type Api, siloNamed } from '@granary/testing/server/service';
import {
  ANSWER_MS_MAX,
  feedingSilo,
  type Rig,
  type RunningSilo,
  startRig,
  timed,
  untilStored,
} from './rig.ts';

const SILOS = '/v1/siloscale/devices';
const PUBLISHERS = ['reports-1', 'reports-2', 'reports-3', 'reports-4'];
const FROZEN_MS = IS_FULL_SIZE ? 20_000 : 8_000;
const STOPS_WHILE_FROZEN = IS_FULL_SIZE ? 8 : 4;
const KILLS = IS_FULL_SIZE ? 5 : 2;

let rig: Rig;
before(async () => {
  rig = await startRig();
});
after(() => rig.stop());

test('frozen and killed several times: nothing acknowledged is lost, stops arrive, every answer arrives in time', async (t) => {
  const { api, postgres } = rig;
  const publishers = await Promise.all(
    PUBLISHERS.map(async (deviceId) => {
      const { secret } = (await api.post(SILOS, siloNamed(deviceId))).body.data.credentials;
      return startPublisher(new URL(api.started.mqttUrl), deviceId, secret);
    }),
  );
  // After a failure the devices would reconnect again and again, and the process of the test would never end.
  t.after(() => {
    for (const publisher of publishers) publisher.abandon();
  });
  const operations = operateAgainAndAgain(api);
  const stops: number[] = [];

  const frozen = await feedingSilos(api, 'frozen', STOPS_WHILE_FROZEN);
  await postgres.freeze();
  for (const running of frozen) {
    stops.push(await stopOf(api, running));
    await sleep(FROZEN_MS / STOPS_WHILE_FROZEN);
  }
  await postgres.thaw();
  for (const running of frozen) await endOf(api, running);

  const killed = await feedingSilos(api, 'killed', KILLS);
  for (const running of killed) {
    await postgres.kill();
    stops.push(await stopOf(api, running));
    await postgres.restart();
    await endOf(api, running);
  }

  const rounds = await operations.end();
  t.diagnostic(`stops at the device after ${stops.map(Math.round).join(', ')} ms; ${rounds} operations`);
  const acknowledged = await Promise.all(publishers.map((publisher) => publisher.stop()));
  const location = { engine: 'postgres', url: postgres.url } as const;
  const app = await openApp(location);
  const stored = new Map(
    (await rawReadings(location)).map(({ deviceNo, tsMs, a: weightG }) => [`${deviceNo} ${tsMs}`, weightG]),
  );
  for (const [index, deviceId] of PUBLISHERS.entries()) {
    const deviceNo = (await app.devices.find(deviceId))?.deviceNo;
    const sent = acknowledged[index] ?? [];
    assert.ok(sent.length > KILLS, `${deviceId} had ${sent.length} readings acknowledged`);
    for (const { tsMs, weightG } of sent) assert.equal(stored.get(`${deviceNo} ${tsMs}`), weightG);
  }
  await app.close();
  assert.ok(rounds > 1, `${rounds} operations`);
  assert.ok(
    stops.every((ms) => ms < ANSWER_MS_MAX),
    `stops at the device after ${stops.map(Math.round)} ms`,
  );
});

async function feedingSilos(api: Api, name: string, count: number): Promise<RunningSilo[]> {
  const silos: RunningSilo[] = [];
  for (let n = 0; n < count; n++) silos.push(await feedingSilo(api, `${name}-${n}`));
  return silos;
}

/** The time until the stop arrived at the device. */
async function stopOf(api: Api, { silo, path }: RunningSilo): Promise<number> {
  const answering = api.post(`${path}/stop`);
  const { ms } = await timed(silo.take('stop'));
  const { status, body } = await answering;
  assert.deepEqual([status, body.data.status], [200, 'stopping']);
  return ms;
}

async function endOf(api: Api, { silo, path, operationId }: RunningSilo): Promise<void> {
  await silo.progress({ operation_id: operationId, state: 'stopped', amount_kg: 1 });
  const { body } = await untilStored(() => api.get(path));
  assert.equal(body.data.status, 'stopped');
  await silo.leave();
}

/** Starts and stops operations on one silo, and checks that each answer arrives in time. */
function operateAgainAndAgain(api: Api) {
  let isOver = false;
  let rounds = 0;
  const operate = async (): Promise<void> => {
    const silo = await startSilo(api, 'operated');
    while (!isOver) {
      await silo.weigh(500);
      const key = { 'idempotency-key': `round ${rounds}` };
      const feed = await untilStored(() => api.post(`${silo.path}/operations/feed`, { amount: 1 }, key));
      assert.equal(feed.status, 200, feed.text);
      const operationId: string = feed.body.data.operation_id;
      const path = `${silo.path}/operations/${operationId}`;
      assert.equal((await untilStored(() => api.post(`${path}/stop`))).status, 200);
      await silo.progress({ operation_id: operationId, state: 'stopped', amount_kg: 0 });
      assert.equal((await untilStored(() => api.get(path))).body.data.status, 'stopped');
      assert.ok(
        silo.commands.filter((sent) => sent.command === 'start' && sent.operation_id === operationId)
          .length <= 1,
      );
      rounds++;
    }
    await silo.leave();
  };
  const operating = operate();
  // The promise is awaited at the end; until then a failure must not become an unhandled rejection.
  operating.catch(() => undefined);
  return {
    async end(): Promise<number> {
      isOver = true;
      await operating;
      return rounds;
    },
  };
}
