import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSiloCommand } from '@granary/contract/link/messages';
import { describeEachEngine } from '@granary/testing/app/engines';
import { ScriptedDevice } from '@granary/testing/server/devices/scripted-device';
import { restartedService } from '@granary/testing/server/restarted-service';
import { type Api, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const sensor = (sensorId: string) => ({
  sensor_id: sensorId,
  type: 'temperature',
  unit: 'celsius',
  reporting_interval_s: 3_600,
});

describeEachEngine('declared sensors over a crash of the service', (engine) => {
  const { start, kill } = restartedService(engine);

  const answersOf = async (api: Api) => {
    const path = `${SILOS}/cable`;
    const { sensors } = (await api.get(path)).body.data;
    const current = (await api.get(`${path}/sensors`)).body.data.sensors;
    const history = (await api.get(`${path}/sensors/history?sensor=two&interval=5m`)).body.data.points;
    return { declared: sensors.slice(3), current, history };
  };

  test('they are declared as before, with their values, and a removed one keeps its history and its place', async () => {
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
    await kill();

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
