import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DAY_MS, HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { describePostgres, WITHOUT_SCHEMA } from '@granary/testing/app/engines';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, withService } from '@granary/testing/server/service';
import {
  FORECAST_NOW_MS,
  SILO_DEVICES,
  sendWeights,
  siloOf,
  WEIGHED_DAYS,
  weights,
} from '@granary/testing/server/silo-weights';
import { backUp, restore } from '../background/backup/backup.ts';
import { openMove } from '../process/open-store.ts';

const LATER_MS = FORECAST_NOW_MS + 30 * HOUR_MS;
/** This is longer than the lease of the node that makes the forecasts. */
const LEASE_MS = 61 * SECOND_MS;
const FACILITY = 'north';
const ADMIN_KEY = 'an-admin-key-for-the-forecasts-of-one-store';
const STARTED_MS = FORECAST_NOW_MS - WEIGHED_DAYS * DAY_MS;

interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
}

/** Runs a service at a place and at a time that the work may change. */
const onService = <T>(
  { dataDir, databaseUrl }: Place,
  clock: { nowMs: number },
  work: (api: Api) => Promise<T>,
): Promise<T> =>
  withService(
    {
      GRANARY_DATA_DIR: dataDir,
      GRANARY_DATABASE_URL: databaseUrl ?? '',
      GRANARY_ADMIN_KEY: ADMIN_KEY,
    },
    // Several nodes have one broker for all devices; here no device uses it.
    { now: () => clock.nowMs, broker: 'external' },
    work,
  );

const madeAt = async (api: Api): Promise<number> => {
  const { data } = (await api.get('/v1/forecasts')).body;
  return Math.min(...data.map(({ made_at }: { made_at: string }) => Date.parse(made_at)));
};

/** The answers that are computed on request, and those that are stored once the forecasts of this time are made. */
async function answersOf(api: Api, nowMs: number): Promise<unknown[]> {
  await eventually(async () => (await madeAt(api)) === nowMs, true);
  const paths = [
    `${SILO_DEVICES}/mill/forecast`,
    `${SILO_DEVICES}/late/forecast`,
    `${SILO_DEVICES}/mill/grain`,
    '/v1/forecasts',
    '/v1/refills?device_id=mill',
    '/v1/refills?device_id=late',
    '/v1/findings?result=all',
    '/v1/order-list',
  ];
  const answers: unknown[] = [];
  for (const path of paths) {
    const { status, body } = await api.get(path);
    assert.equal(status, 200, path);
    answers.push([path, body.data]);
  }
  return answers;
}

/** Makes two silos with readings; `late` gets three days of them after all others. */
async function fill(api: Api): Promise<void> {
  for (const deviceId of ['mill', 'late']) {
    await api.post(SILO_DEVICES, siloOf(deviceId, FACILITY));
    await api.put(`${SILO_DEVICES}/${deviceId}/config`, {
      product: { name: 'Wheat', grain: 'wheat', moisture_percent: 13 },
      supply: { lead_time_h: 48, delivery_days: ['mon', 'wed', 'fri'], truck_kg: 12_000 },
      time_zone: 'Europe/Berlin',
    });
  }
  const [gapMs, endMs] = [FORECAST_NOW_MS - 9 * DAY_MS, FORECAST_NOW_MS - 6 * DAY_MS];
  await sendWeights(api, 'late', weights(STARTED_MS, gapMs));
  await sendWeights(api, 'late', weights(endMs, FORECAST_NOW_MS));
  await sendWeights(api, 'mill', weights(STARTED_MS, FORECAST_NOW_MS));
  await eventually(async () => (await api.get('/v1/forecasts')).body.data.length, 2);
  await sendWeights(api, 'late', weights(gapMs, endMs));
}

/** Sends the weights of the next 30 hours, and returns the answers that follow from them. */
async function goOn(api: Api, clock: { nowMs: number }): Promise<unknown[]> {
  clock.nowMs = LATER_MS;
  for (const deviceId of ['mill', 'late']) {
    await sendWeights(api, deviceId, weights(FORECAST_NOW_MS, LATER_MS));
  }
  return await answersOf(api, LATER_MS);
}

describePostgres(
  'the forecasts of one store are the same to the digit',
  (engine) => {
    let root = '';
    before(async () => {
      root = await mkdtemp(join(tmpdir(), 'granary-same-forecast-'));
    });
    after(() => rm(root, { recursive: true, force: true }));
    const placeOf = (name: string, databaseUrl: string | null = null): Place => ({
      dataDir: join(root, name),
      databaseUrl,
    });
    const urlOf = (): string => {
      if (engine.location.engine !== 'postgres') throw new Error('this is about PostgreSQL');
      return engine.location.url;
    };
    let answers: unknown[] = [];
    let later: unknown[] = [];

    test('after a restart, and after a backup and its restore', async () => {
      const [first, restored] = [placeOf('first'), placeOf('restored')];
      answers = await onService(first, { nowMs: FORECAST_NOW_MS }, async (api) => {
        await fill(api);
        await eventually(async () => {
          const read = async (id: string) => {
            const { device_id, name, ...same } = (await api.get(`/v1/forecasts?device_id=${id}`)).body
              .data[0];
            return JSON.stringify(same);
          };
          return (await read('late')) === (await read('mill'));
        }, true);
        return await answersOf(api, FORECAST_NOW_MS);
      });
      const { file } = await backUp(first, join(root, 'first.db'), FORECAST_NOW_MS);
      await restore(restored, file, FORECAST_NOW_MS, { replace: false });
      const clock = { nowMs: FORECAST_NOW_MS };
      later = await onService(restored, clock, async (api) => {
        assert.deepEqual(await answersOf(api, FORECAST_NOW_MS), answers);
        return await goOn(api, clock);
      });
    });

    test('after a move to PostgreSQL, on a second node, and when that one goes on alone', async () => {
      const moved = placeOf('first', urlOf());
      const move = await openMove({ dataDir: moved.dataDir, databaseUrl: urlOf() }, { isDryRun: false });
      await move.run();
      await move.close();
      const clock = { nowMs: FORECAST_NOW_MS };
      await onService(placeOf('second', urlOf()), clock, async (second) => {
        await onService(moved, clock, async (first) => {
          assert.deepEqual(await answersOf(first, FORECAST_NOW_MS), answers);
          assert.deepEqual(await answersOf(second, FORECAST_NOW_MS), answers);
        });
        clock.nowMs = FORECAST_NOW_MS + LEASE_MS;
        assert.deepEqual(withoutIds(await goOn(second, clock)), withoutIds(later));
      });
      const again = { nowMs: LATER_MS };
      const stored = await onService(moved, again, (api) => answersOf(api, LATER_MS));
      assert.deepEqual(withoutIds(stored), withoutIds(later));
    });

    test('also where the days came in another order than those of the other silo', () => {
      const [mill, late] = later as [string, object][];
      assert.deepEqual(late?.[1], mill?.[1]);
    });
  },
  WITHOUT_SCHEMA,
);

/** Refills that were found after the copy was made have ids of their own. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, one) => (name === 'refill_id' ? undefined : one)));
