import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describePostgres, WITHOUT_SCHEMA } from '@granary/testing/app/engines';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { NODE_ADMIN_KEY, nodeProcesses } from '@granary/testing/server/node-processes';

const STARTS = IS_FULL_SIZE ? 12 : 3;
/** The connections of all services together must not use up those of the server. */
const FEW_CONNECTIONS = { GRANARY_DATABASE_CONNECTIONS: '2' };
const OTHER_KEY = 'another-admin-key-for-the-tests-of-several-nodes';

const together = <T>(start: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: STARTS }, (_, n) => start(n)));

const statusWith = async (httpUrl: string, key: string): Promise<number> =>
  (await fetch(`${httpUrl}/v1/keys`, { headers: { authorization: `Bearer ${key}` } })).status;

describePostgres(
  'many nodes that start at once on a new database',
  (engine) => {
    const start = nodeProcesses(engine);
    const countKeys = async () => Number((await engine.query('SELECT count(*) FROM keys'))[0]?.[0]);

    it('make one admin key together, and only one of them knows it', async () => {
      const nodes = await together(() => start({ ...FEW_CONNECTIONS, GRANARY_ADMIN_KEY: '' }));
      assert.equal(await countKeys(), 1);
      const known = nodes.filter(({ adminKey }) => adminKey.isElsewhere !== true);
      assert.equal(known.length, 1);
      for (const { httpUrl } of nodes) {
        assert.equal(await statusWith(httpUrl, known[0]?.adminKey.key ?? ''), 200);
      }
      await Promise.all(nodes.map((node) => node.stop()));
    });

    it('preset the same key, and another one only when no node has the first', async () => {
      const nodes = await together(() => start(FEW_CONNECTIONS));
      assert.equal(await countKeys(), 2);
      const [first, ...others] = nodes;
      assert(first !== undefined);
      await Promise.all(others.map((node) => node.stop()));
      const changed = await start({ GRANARY_ADMIN_KEY: OTHER_KEY });
      for (const key of [NODE_ADMIN_KEY, OTHER_KEY])
        assert.equal(await statusWith(changed.httpUrl, key), 200);
      await first.stop();
      const restarted = await start({ GRANARY_DATA_DIR: first.dataDir, GRANARY_ADMIN_KEY: OTHER_KEY });
      assert.equal(await statusWith(restarted.httpUrl, OTHER_KEY), 200);
      assert.equal(await statusWith(restarted.httpUrl, NODE_ADMIN_KEY), 401);
      await Promise.all([restarted.stop(), changed.stop()]);
    });
  },
  WITHOUT_SCHEMA,
);
