import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { EventReader } from '@granary/testing/server/event-reader';
import { eventually } from '@granary/testing/server/eventually';
import { restartedService } from '@granary/testing/server/restarted-service';
import { type Api, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const LAST = 'the second of this id';
const PATH = `${SILOS}/purged`;
/** The limit is long, because the purge begins only ten seconds after the removal. */
const WAITED_MS_MAX = 300_000;
/** The service is asked often, to find the purge half done. */
const ASKED_EVERY_MS = 20;

describeEachEngine('the purge of a device over crashes of the service', (engine) => {
  const { start, kill } = restartedService(engine);

  /** The types of the events about the first device of this id, as a key with these limits sees them. */
  async function eventsSeen(api: Api, limits: object): Promise<string[]> {
    const key = await api.post('/v1/keys', { name: 'reader', scopes: ['read'], ...limits });
    const reader = await EventReader.open(api.as(key.body.data.key), { lastEventId: 0 });
    const types: string[] = [];
    // A key with any of these limits sees the second registration of the id, and it is the last event.
    while (types.filter((type) => type === 'device.registered').length < 2) {
      const event = await reader.next();
      if (event === null) break;
      if (event.data.device_id === 'purged') types.push(event.data.type);
      if (event.data.data.name === LAST) break;
    }
    reader.close();
    return types;
  }

  test('it continues where it was, and at the end the id is free', async () => {
    let api = await start();
    await api.post(SILOS, siloNamed('purged'));
    await api.post(SILOS, siloNamed('kept'));
    const beginMs = Date.now() - 600 * MINUTE_MS;
    for (const id of ['purged', 'kept']) {
      const readings = Array.from({ length: 600 }, (_, n) => ({ ts: beginMs + n * MINUTE_MS, weight: 500 }));
      assert.equal((await api.post(`${SILOS}/${id}/telemetry`, readings)).status, 200);
    }
    const begun = await api.delete(`${PATH}?purge=true`);
    assert.partialDeepStrictEqual(begun.body.data.purge, { status: 'running', rows_removed: 0 });
    await kill();

    api = await start();
    // The removed rows are not compared: on a busy machine the purge already runs again before the service is asked.
    const { rows_removed: _, ...purge } = begun.body.data.purge;
    assert.partialDeepStrictEqual((await api.get(PATH)).body.data.purge, purge);
    const endMs = Date.now() + WAITED_MS_MAX;
    let removed = 0;
    while (removed === 0) {
      assert.ok(Date.now() < endMs, 'it takes too long');
      await sleep(ASKED_EVERY_MS);
      removed = (await api.get(PATH)).body.data?.purge?.rows_removed ?? Number.POSITIVE_INFINITY;
    }
    await kill();

    api = await start();
    const continued = (await api.get(PATH)).body.data?.purge?.rows_removed ?? Number.POSITIVE_INFINITY;
    assert.ok(continued >= removed || removed === Number.POSITIVE_INFINITY, `${continued} after ${removed}`);
    await eventually(async () => (await api.get(PATH)).status, 404);
    const again = { ...siloNamed('purged'), name: LAST };
    assert.equal((await api.post(SILOS, again)).status, 200);
    const all = ['device.registered', 'device.removed', 'device.purged', 'device.registered'];
    const withoutStatus = async (limits: object) =>
      (await eventsSeen(api, limits)).filter((type) => type !== 'device.status_changed');
    assert.deepEqual(await withoutStatus({}), all);
    assert.deepEqual(await withoutStatus({ device_ids: ['purged'] }), all);
    assert.deepEqual(await withoutStatus({ facilities: ['north'] }), all);
    const history = `sensors/history?sensor=level&interval=1h&from=${new Date(beginMs).toISOString()}`;
    const pointsOf = async (id: string) =>
      (await api.get(`${SILOS}/${id}/${history}`)).body.data.points.length;
    assert.deepEqual([(await pointsOf('kept')) > 8, await pointsOf('purged')], [true, 0]);
  });
});
