import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type ScriptedSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { describeEachLink, EMBEDDED, type RunningLink } from '@granary/testing/server/links/device-links';
import { type Api, apiOf } from '@granary/testing/server/service';
import { createService, type Service, type Started } from '../compose.ts';
import { readSettings } from '../process/settings.ts';

const DOWN_MS = 70_000;
/** This is more than one round of the reconciler, so that alerts were evaluated before the devices are back. */
const FIRST_ROUNDS_MS = 1_500;

describeEachLink('a service that was down while its devices continued', (engine, testedLink) => {
  let dataDir = '';
  let offsetMs = 0;
  let service: Service | undefined;
  let started: Started | undefined;
  let adminKey = '';
  let link: RunningLink = EMBEDDED;
  const now = () => Date.now() + offsetMs;

  async function start(): Promise<void> {
    const { location } = engine;
    const env = {
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_LINK_THREADS: '0',
      GRANARY_DATA_DIR: dataDir,
      GRANARY_DATABASE_URL: location.engine === 'postgres' ? location.url : '',
      ...link.env,
    };
    service = createService(readSettings(env), { now });
    started = await service.start();
    adminKey ||= started.adminKey.key;
  }

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'granary-restart-'));
    link = await testedLink.start();
    await start();
  });

  after(async () => {
    await service?.stop();
    await link.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const api: Api = apiOf(
    () => {
      if (started === undefined) throw new Error('the service has not started');
      return started;
    },
    () => adminKey,
    undefined,
    () => link,
  );

  const report = (silo: ScriptedSilo) =>
    silo.publish('telemetry', { ts: now(), weight: 500, temperature: 20, humidity: 40 });

  const alertsOf = async ({ path }: ScriptedSilo): Promise<string> =>
    (await api.get(`${path}/alerts?status=all`)).body.data
      .map(({ type, status }: { type: string; status: string }) => `${type} ${status}`)
      .join(', ');

  test('raises no alert for devices that report again, and one for a device that does not', async () => {
    const silos = await Promise.all(['first', 'second', 'third'].map((name) => startSilo(api, name, null)));
    const [absent, ...others] = silos;
    assert(absent !== undefined);
    for (const silo of silos) await report(silo);
    const reporting = { interval_s: 1, offline_delay_s: 1 };
    await api.put(`${absent.path}/config`, { reporting });
    await report(absent);
    for (const silo of silos) {
      await eventually(async () => (await api.get(silo.path)).body.data.status, 'online');
    }
    for (const silo of silos) await silo.dropConnection();
    await service?.stop();
    offsetMs += DOWN_MS;
    await start();
    await setTimeout(FIRST_ROUNDS_MS);
    for (const silo of others) {
      await silo.reconnect();
      await report(silo);
    }
    assert.deepEqual(await Promise.all(silos.map(alertsOf)), ['', '', '']);
    await eventually(() => alertsOf(absent), 'device_offline active');
    for (const silo of others) {
      assert.equal((await api.get(silo.path)).body.data.status, 'online');
      assert.equal(await alertsOf(silo), '');
    }
  });
});
