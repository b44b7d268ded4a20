import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Store } from './store.ts';
import { describeEachEngine, type TestEngine } from './testing/engines.ts';
import { NOW_MS, newFieldDevice, registerDevice, weigh } from './testing/fixtures.ts';

/** The tables that each version added after the first. */
const ADDED = [
  ['operations', 'alerts', 'watches', 'events', 'event_counter', 'idempotency'],
  ['commands', 'missions', 'tracks', 'plants'],
];

/** Makes a database what it was at a version, as far as the next one can tell. */
async function undo(engine: TestEngine, version: number): Promise<void> {
  for (const table of ADDED.slice(version - 1).flat()) await engine.query(`DROP TABLE ${table}`);
  const fieldDevices = `SELECT device_no FROM devices WHERE kind = 'field'`;
  await engine.query(`DELETE FROM configurations WHERE device_no IN (${fieldDevices})`);
  if (version > 1) await engine.query(`DELETE FROM watches WHERE device_no IN (${fieldDevices})`);
  await engine.query(`UPDATE schema_version SET version = ${version}`);
}

for (const version of [1, 2]) {
  describeEachEngine(`a database of version ${version}`, (engine) => {
    let store: Store;
    let siloNo = 0;
    let fieldNo = 0;
    before(async () => {
      const older = await engine.open();
      siloNo = await registerDevice(older, { capacityKg: 10_000 });
      fieldNo = await registerDevice(older, newFieldDevice());
      await weigh(older, siloNo, 100, NOW_MS);
      await older.close();
      await undo(engine, version);
      store = await engine.open();
    });

    it('is brought up to date, and its devices are watched from then on', async () => {
      assert.equal(await store.alerts.evaluateDue({ nowMs: NOW_MS, limit: 10 }), 2);
      const page = { deviceNo: siloNo, filter: 'open', beforeAlertId: null, limit: 10 } as const;
      const alerts = await store.alerts.list(page);
      assert.deepEqual(alerts.map(({ type }) => type).toSorted(), ['critical_level', 'low_level']);
    });

    it('has a configuration for each of its field devices', async () => {
      const { configuration, version: first } = (await store.configuration.get(fieldNo)) ?? {};
      assert.partialDeepStrictEqual(configuration, { geofence: null, motion: { speed_m_s: 1.5 } });
      assert.equal(first, 1);
    });
  });
}
