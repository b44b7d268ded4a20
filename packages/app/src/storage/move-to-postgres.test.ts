import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { MoveError, StoreOpenError } from '@granary/store/errors';
import type { MoveStep } from '@granary/store/move/move';
import { describePostgres, WITHOUT_SCHEMA } from '@granary/testing/app/engines';
import { newDevice } from '@granary/testing/app/fixtures';
import { type EmbeddedStore, filledStore, moveStore } from '@granary/testing/app/moved-store';
import { storedAnswers } from '@granary/testing/app/stored-answers';
import { openApp } from '../app.ts';

const LIMIT = 1_000_000;
/** A text with characters that a text format could change: quotes, separators, escapes, a line break and characters of several bytes. */
const TEXT = `"a" \\ 'b',{c} NULL\n\t\\x41 ä€🌾`;
const LEAST = '(-9223372036854775807 - 1)';

/** Returns the answers of a store; they are in the file only after the store was closed. */
async function answersOf(store: EmbeddedStore): Promise<string> {
  const app = await openApp(store);
  try {
    return await storedAnswers(app, store);
  } finally {
    await app.close();
  }
}

const READS = JSON.stringify([{ scopes: ['read'], facilities: null, deviceIds: null }]);

describePostgres(
  'a store that is moved to PostgreSQL',
  (engine) => {
    let store: EmbeddedStore;
    let answers = '';
    before(async () => {
      store = await filledStore();
      store.run(`UPDATE devices SET name = '${TEXT.replaceAll("'", "''")}', zone = '' WHERE device_no = 1`);
      store.run('UPDATE devices SET capacity_kg = 0.1 + 0.2 WHERE device_no = 1');
      store.run(`INSERT INTO buckets (size_ms, time_chunk, device_no, sensor_group, start_ms,
        a_sum, a_count, a_bad_count, a_min, b_sum, b_count, b_bad_count, c_sum, c_count, c_bad_count)
      VALUES (86400000, 0, 99, 1, 0, 9223372036854775807, 1, 0, ${LEAST}, 9007199254740993, 1, 0, 0, 0, 0)`);
      store.run("UPDATE alert_evaluations SET no_change_ranges = 'NULL'");
      store.run(
        `INSERT INTO open_buckets (device_no, sensor_group, body) VALUES (98, 1, NULL), (98, 2, x'')`,
      );
      store.run(`INSERT INTO keys (key_id, hash, kind, name, grants, is_full_admin, created_at_ms)
      VALUES ('key_B', 'b', 'service', 'b', '${READS}', 0, 1), ('key_a', 'a', 'service', 'a', '${READS}', 0, 2),
        ('key_É', 'c', 'service', 'c', '${READS}', 0, 3)`);
      answers = await answersOf(store);
    });
    after(() => store.remove());

    it('has the same rows, and answers the same to the byte', async () => {
      const steps: MoveStep[] = [];
      const { plan, tables } = await moveStore(store, engine, { onProgress: (step) => steps.push(step) });
      assert.equal(plan.action, 'begin');
      assert.deepEqual(
        tables.map(({ name, rows }) => ({ name, rows })),
        plan.tables,
      );
      assert.deepEqual([...new Set(steps.map(({ phase }) => phase))], ['copying', 'checking']);
      assert.equal(await storedAnswers(await engine.open(), engine.location), answers);
    });

    it('keeps every value as it was', async () => {
      assert.deepEqual(
        await engine.query('SELECT name, zone, capacity_kg FROM devices WHERE device_no = 1'),
        [[TEXT, '', 0.1 + 0.2]],
      );
      assert.deepEqual(
        await engine.query('SELECT a_sum::text, a_min::text, b_sum::text FROM buckets WHERE device_no = 99'),
        [['9223372036854775807', '-9223372036854775808', '9007199254740993']],
      );
      assert.deepEqual(await engine.query('SELECT DISTINCT no_change_ranges FROM alert_evaluations'), [
        ['NULL'],
      ]);
      assert.deepEqual(
        await engine.query('SELECT body FROM open_buckets WHERE device_no = 98 ORDER BY sensor_group'),
        [[null], [Buffer.alloc(0)]],
      );
    });

    it('goes on with its numbers', async () => {
      const app = await engine.open();
      const before = await app.events.after({ sequence: 0, limit: LIMIT });
      const [[last] = []] = await engine.query('SELECT MAX(device_no) FROM devices');
      const { deviceNo } = await app.devices.register(newDevice({ deviceId: 'after-the-move' }));
      assert.equal(deviceNo, Number(last) + 1);
      const after = await app.events.after({ sequence: 0, limit: LIMIT });
      assert.deepEqual(after.slice(0, before.length), before);
      assert.equal(after.at(-1)?.sequence, (before.at(-1)?.sequence ?? 0) + 1);
    });

    it('is refused a second time, because the database is not empty', async () => {
      await assert.rejects(moveStore(store, engine), {
        name: 'MoveError',
        message: /is not empty: it has the data of a Granary service \(schema \d+, this version has \d+\)/,
        cure: /^Create an empty database/,
      });
    });
  },
  WITHOUT_SCHEMA,
);

describePostgres(
  'a move that is interrupted',
  (engine) => {
    let store: EmbeddedStore;
    before(async () => {
      store = await filledStore();
    });
    after(() => store.remove());

    it('goes on from every moment, and no service uses the database before its end', async () => {
      const answers = await answersOf(store);
      let interruptions = 0;
      for (let isDone = false; !isDone; ) {
        const controller = new AbortController();
        const seen = new Set<string>();
        const moving = moveStore(store, engine, {
          signal: controller.signal,
          onProgress({ phase, table }) {
            // Each attempt copies two more tables, so that the last attempts have only some of them to copy.
            seen.add(`${phase} ${table}`);
            if (phase === 'copying' && seen.size > 2) controller.abort();
            if (phase === 'checking' && interruptions < 20) controller.abort();
          },
        });
        isDone = await moving.then(
          () => true,
          (error: unknown) => {
            assert.equal(error instanceof MoveError && error.kind, 'interrupted', String(error));
            return false;
          },
        );
        if (isDone) break;
        interruptions++;
        await assert.rejects(
          engine.open(),
          (error) =>
            error instanceof StoreOpenError &&
            /unfinished copy of an embedded store: repeat granary migrate/.test(error.message),
        );
      }
      assert.ok(interruptions >= 15, `${interruptions} interruptions`);
      assert.equal(await storedAnswers(await engine.open(), engine.location), answers);
    });
  },
  WITHOUT_SCHEMA,
);
