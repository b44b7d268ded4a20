import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@granary/contract/time';
import { describePostgres } from '@granary/testing/app/engines';
import {
  batchOf,
  isRefusal,
  NOW_MS,
  newDevice,
  reading,
  registerDevice,
} from '@granary/testing/app/fixtures';
import { openApp } from '../app.ts';

const ATTEMPTS_MAX = 20;

describePostgres('a PostgreSQL store', (engine) => {
  it('opens on many nodes at once', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => openApp(engine.location)));
    await Promise.all(stores.map((app) => app.health()));
    await Promise.all(stores.map((app) => app.close()));
  });

  it('works again after the loss of its connections', async () => {
    const app = await engine.open();
    await Promise.all(Array.from({ length: 5 }, () => app.health()));
    await engine.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    for (let attempt = 1; ; attempt++) {
      const outcome = await app.devices.register(newDevice()).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) break;
      assert(isRefusal('storage_unavailable')(outcome) && attempt < ATTEMPTS_MAX, `${outcome}`);
    }
  });

  it('stores the readings of each day in a partition, which any node may create', async () => {
    const stores = [await engine.open(), await engine.open(), await engine.open()] as const;
    const deviceNo = await registerDevice(stores[0]);
    const days = [0, 1, 2, 3, 4].map((day) => NOW_MS + day * DAY_MS);
    await Promise.all(
      stores.map((app, node) => {
        const readings = days.map((dayMs) => reading(deviceNo, dayMs + node, { weight: node }));
        return app.telemetry.append(batchOf({ readings }));
      }),
    );
    const counts = await engine.query(
      'SELECT tableoid::regclass::text, COUNT(*) FROM readings GROUP BY 1 ORDER BY 1',
    );
    assert.deepEqual(
      counts,
      ['15', '16', '17', '18', '19'].map((day) => [`readings_2026_06_${day}`, 3]),
    );
  });

  it('waits for the disk at each commit, also where the default of the server is not to wait', async () => {
    await engine.query(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
    END $$`);
    await engine.query(`
      CREATE TABLE observed (setting TEXT);
      CREATE FUNCTION observe() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO observed VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
      CREATE TRIGGER observe BEFORE INSERT ON readings FOR EACH ROW EXECUTE FUNCTION observe();
    `);
    const app = await engine.open();
    const deviceNo = await registerDevice(app);
    const newDay = reading(deviceNo, NOW_MS + 9 * DAY_MS, { weight: 1 });
    const sameDay = reading(deviceNo, NOW_MS + 9 * DAY_MS + 1, { weight: 1 });
    await app.telemetry.append(batchOf({ readings: [newDay] }));
    await app.telemetry.append(batchOf({ readings: [sameDay] }));
    assert.deepEqual(await engine.query('SELECT setting FROM observed'), [['on'], ['on']]);
  });
});
