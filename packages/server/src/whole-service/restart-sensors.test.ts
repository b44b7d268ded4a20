import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { describeEachEngine } from '@granary/app/testing/engines';
import { checkSiloCommand } from '@granary/contract/link/messages';
import { ScriptedDevice } from '../testing/devices/scripted-device.ts';
import { type Api, apiOf, siloNamed } from '../testing/service.ts';
import { type ServiceProcess, startServiceProcess } from '../testing/service-process.ts';

const SILOS = '/v1/siloscale/devices';
const sensor = (sensorId: string) => ({
  ...{ sensor_id: sensorId, type: 'temperature', unit: 'celsius', reporting_interval_s: 3_600 },
});

describeEachEngine('declared sensors over a crash of the service', (engine) => {
  let service: ServiceProcess | undefined;
  let folder = '';
  after(async () => {
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Api> {
    const started = await startServiceProcess({
      GRANARY_DATA_DIR: folder,
      GRANARY_DATABASE_URL: engine.location.engine === 'postgres' ? engine.location.url : '',
    });
    service = started;
    return apiOf(
      () => started,
      () => started.adminKey.key,
    );
  }

  const answersOf = async (api: Api) => {
    const path = `${SILOS}/cable`;
    const { sensors } = (await api.get(path)).body.data;
    const current = (await api.get(`${path}/sensors`)).body.data.sensors;
    const history = (await api.get(`${path}/sensors/history?sensor=two&interval=5m`)).body.data.points;
    return { declared: sensors.slice(3), current, history };
  };

  test('they are declared as before, with their values, and a removed one keeps its history and its place', async () => {
    folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
    const before = await start();
    const registered = await before.post(SILOS, {
      ...siloNamed('cable'),
      sensors: [sensor('one'), sensor('two')],
    });
    const { credentials } = registered.body.data;
    const connected = async (api: Api) => {
      const silo = new ScriptedDevice({ api, root: SILOS, credentials, checkCommand: checkSiloCommand });
      await silo.reconnect();
      return silo;
    };
    const silo = await connected(before);
    await silo.publish('telemetry', { ts: silo.ts(), weight: 1, sensors: { one: 1, two: 2 } });
    await before.patch(`${SILOS}/cable`, { sensors: [sensor('two'), sensor('three')] });
    await silo.publish('telemetry', { ts: silo.ts(), sensors: { two: 2.5, three: 3 } });
    const stored = await answersOf(before);
    await silo.dropConnection();
    await service?.kill();

    const later = await start();
    assert.deepEqual(await answersOf(later), stored);
    const again = await connected(later);
    await again.publish('telemetry', { ts: again.ts(), sensors: { three: 3.5 } });
    assert.equal((await answersOf(later)).current.three.current, 3.5);
    const all = ['four', 'three', 'two', 'one'].map(sensor);
    await later.patch(`${SILOS}/cable`, { sensors: all });
    await again.publish('telemetry', { ts: again.ts(), sensors: { four: 4 } });
    const { current } = await answersOf(later);
    const values = all.map(({ sensor_id }) => current[sensor_id].current);
    assert.deepEqual(values, [4, 3.5, 2.5, 1]);
    await again.leave();
  });
});
