import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeEachEngine } from './testing/engines.ts';
import { NOW_MS, registerDevice, weigh } from './testing/fixtures.ts';

const ADDED_LATER = ['operations', 'alerts', 'watches', 'events', 'event_counter', 'idempotency'];

describeEachEngine('a database of the first version', (engine) => {
  it('is brought up to date, and its silos are watched from then on', async () => {
    const older = await engine.open();
    const deviceNo = await registerDevice(older, { capacityKg: 10_000 });
    await registerDevice(older, { kind: 'field', configuration: null, capacityKg: null });
    await weigh(older, deviceNo, 100, NOW_MS);
    await older.close();
    for (const table of ADDED_LATER) await engine.query(`DROP TABLE ${table}`);
    await engine.query('UPDATE schema_version SET version = 1');

    const store = await engine.open();
    assert.equal(await store.alerts.evaluateDue({ nowMs: NOW_MS, limit: 10 }), 1);
    const alerts = await store.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 });
    assert.deepEqual(alerts.map(({ type }) => type).toSorted(), ['critical_level', 'low_level']);
    assert.deepEqual(await store.events.bounds(), { oldest: 1, newest: 3 });
  });
});
