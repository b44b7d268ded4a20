import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeEachEngine, describePostgres } from '@granary/testing/app/engines';
import { batchOf, latestOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const ROUNDS = 10;
const DEVICES = 16;
const BATCHES = 24;

/** Stores the first readings of new devices in batches that have some devices in common. */
async function firstReadings(stores: readonly App[], round: number): Promise<readonly number[]> {
  const [app] = stores;
  assert(app !== undefined);
  const devices: number[] = [];
  for (let n = 0; n < DEVICES; n++)
    devices.push(await registerDevice(app, { deviceId: `new-${round}-${n}` }));
  // Short batches end soon. The long batches find some of the rows that the short ones make, and other rows do not exist yet.
  const batches = Array.from({ length: BATCHES }, (_, batch) =>
    devices
      .filter((_, n) => (batch % 2 === 0 ? n % 12 === batch / 2 : (n + batch) % 5 < 4))
      .map((deviceNo) => reading(deviceNo, NOW_MS + batch, { weight: 1_000 + batch })),
  );
  await Promise.all(
    batches.map((readings, n) => stores[n % stores.length]?.telemetry.append(batchOf({ readings }))),
  );
  return devices;
}

describePostgres('first readings of many new devices at once', (engine) => {
  it('wait for no other batch that waits for them', async () => {
    const stores = [await engine.open(), await engine.open()];
    for (let round = 0; round < ROUNDS; round++) await firstReadings(stores, round);
    // PostgreSQL adds the counts of a connection to its statistics at the latest when it ends.
    for (const each of stores) await each.close();
    const [counted] = await engine.query(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    assert.deepEqual(counted, [0]);
  });
});

describeEachEngine('a new device', (engine) => {
  it('has the rows of its first readings and no values, also of sensors that are declared later', async () => {
    const app = await engine.open();
    const deviceNo = await registerDevice(app);
    const rows = await engine.query(
      `SELECT sensor_group, body FROM open_buckets WHERE device_no = ${deviceNo}`,
    );
    assert.notEqual(rows.length, 0);
    assert.deepEqual(await latestOf(app, deviceNo), {});

    const sensors = [
      { sensor_id: 'hall', type: 'temperature', unit: 'celsius', precision: 1, min: -40, max: 80 },
    ] as const;
    await app.devices.update(deviceNo, { sensors: [...sensors] }, NOW_MS);
    const more = await engine.query(`SELECT sensor_group FROM open_buckets WHERE device_no = ${deviceNo}`);
    assert.equal(more.length, rows.length + 1);
  });
});
