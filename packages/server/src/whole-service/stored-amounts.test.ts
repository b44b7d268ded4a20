import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreLocation } from '@granary/app/app';
import { DEFAULT_ADDRESSES, groupRoots } from '@granary/contract/endpoints/declaration/groups';
import { fillPath, parameterNames } from '@granary/contract/endpoints/declaration/paths';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import type { Value } from '@granary/store/sql';
import { describeEachEngine, type TestEngine } from '@granary/testing/app/engines';
import { countRowsRead, type RowsRead } from '@granary/testing/app/rows-read';
import { ExampleResources } from '@granary/testing/server/example-resources';
import { enlargeStore } from '@granary/testing/server/large-store';
import { type Api, withService } from '@granary/testing/server/service';

const AMOUNTS = {
  devices: 300,
  bridges: 100,
  devicesPerBridge: 1_500,
  people: 3_000,
  keys: 1_000,
  alerts: 10_000,
  others: 2_000,
};

/** The number of rows that SQLite reads in a few milliseconds, during which it blocks the main thread and every stop. */
const ROWS_PER_STATEMENT_MAX = 500;
/** The number of rows that may be read besides those in the answer. It is smaller than each amount of rows that could be read for nothing. */
const ROWS_BESIDES_MAX = 1_400;
const ROWS_PER_ENTRY_MAX = 4;
/** These endpoints read every registered device, in turns, so their cost grows with the number of devices. */
const EXPORTS: readonly string[] = ['exports.readings', 'exports.history'];
/** A table with more rows than this must be read by an index. */
const ROWS_READ_THROUGH_MAX = 20_000;
/** PostgreSQL publishes its statistics up to a second later. */
const FIGURES_MS = 1_500;
/** These answers do not end. */
const STREAMS: readonly string[] = ['events.stream', 'readings.stream'];
/** A test is repeated, because reads in the background are counted, too. */
const TRIES = 3;

/** Other endpoints whose resources are made, too, so that there is one of each kind. */
const MAKES =
  /^(shifts\.(removeNote|acknowledgeHandover)|people\.change|terminals\.end|reports\.removeSchedule|views\.remove|session\.endOne|alarmHelp\.remove|foresight\.changeRefill)$/;

const ROOTS = groupRoots(DEFAULT_ADDRESSES);

interface Get {
  readonly name: string;
  readonly path: string;
}

/** Makes one of each resource, and returns the paths of all GET endpoints of the interface. */
async function makeResources(api: Api): Promise<Get[]> {
  const resources = new ExampleResources(api, Date.now);
  const made = new Map<string, Awaited<ReturnType<ExampleResources['prepare']>>>();
  const gets: Get[] = [];
  try {
    for (const { name, endpoint } of ALL_ENDPOINTS) {
      const isGet = endpoint.method === 'GET';
      if (!isGet && !MAKES.test(name)) continue;
      const kind = isGet ? `${endpoint.group} ${parameterNames(endpoint.path)}` : name;
      const ids = made.get(kind) ?? (await resources.prepare(endpoint));
      made.set(kind, ids);
      if (!isGet || STREAMS.includes(name)) continue;
      const path = fillPath(endpoint.path, { ...ids, asset: 'none', map_tile: 'none' });
      gets.push({ name, path: `${ROOTS[endpoint.group]}${path}` });
    }
  } finally {
    await resources.leave();
  }
  return gets;
}

/** The number of entries in an answer: its objects and lines. */
const entriesOf = (text: string): number => text.split(/[{\n]/).length - 1;

/** How many rows of each large table were read without an index, which only PostgreSQL counts. */
async function tablesReadThrough({ name, query }: TestEngine): Promise<Value[][]> {
  if (name === 'sqlite') return [];
  await sleep(FIGURES_MS);
  return await query(
    `SELECT relname, seq_tup_read FROM pg_stat_user_tables WHERE n_live_tup > ${ROWS_READ_THROUGH_MAX} ORDER BY relname`,
  );
}

describeEachEngine('whatever keys have stored', (engine) => {
  test('every answer costs what is in it', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'granary-test-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const location: StoreLocation =
      engine.location.engine === 'postgres' ? engine.location : { engine: 'sqlite', folder: dataDir };
    const env = {
      GRANARY_DATA_DIR: dataDir,
      GRANARY_DATABASE_URL: location.engine === 'postgres' ? location.url : '',
      GRANARY_SMTP_URL: 'smtp://127.0.0.1:9',
      GRANARY_MAIL_FROM: 'granary@example.com',
    };
    const limited = { name: 'limited', scopes: ['read', 'configure', 'admin'], facilities: ['f-1', 'north'] };
    const { gets, key } = await withService(env, {}, async (api) => ({
      gets: await makeResources(api),
      key: (await api.post('/v1/keys', limited)).body.data.key as string,
    }));
    await enlargeStore(location, AMOUNTS);
    const readBefore = await tablesReadThrough(engine);

    await withService(env, {}, async (api) => {
      const counted = countRowsRead();
      t.after(() => counted.undo());
      const faults: string[] = [];
      const faultOf = (name: string, entries: number, read: RowsRead): string | null => {
        const besides = ROWS_BESIDES_MAX + (EXPORTS.includes(name) ? AMOUNTS.devices * 4 : 0);
        const isWithin =
          read.mostRows <= ROWS_PER_STATEMENT_MAX && read.rows <= besides + ROWS_PER_ENTRY_MAX * entries;
        return isWithin
          ? null
          : `${read.rows} rows for ${entries} entries, ${read.mostRows} by: ${read.most}`;
      };
      for (const [caller, as] of [
        ['everything', api],
        ['some facilities', api.as(key)],
      ] as const) {
        for (const { name, path } of gets) {
          let fault: string | null = null;
          for (let tried = 0; tried < TRIES && (tried === 0 || fault !== null); tried++) {
            counted.take();
            const { httpUrl } = api.started;
            const answer = await fetch(`${httpUrl}${path}`, {
              headers: as.authorization,
              redirect: 'manual',
            });
            fault = faultOf(name, entriesOf(await answer.text()), counted.take());
          }
          if (fault !== null) faults.push(`${name}, a key of ${caller}: ${fault.replace(/\s+/g, ' ')}`);
        }
      }
      assert.deepEqual(faults, []);
    });
    assert.deepEqual(await tablesReadThrough(engine), readBefore);
  });
});
