import assert from 'node:assert/strict';
import { it } from 'node:test';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { describeEachEngine } from '../testing/engines.ts';
import { batchOf, latestOf, reading } from '../testing/fixtures.ts';
import { restoreOldDatabase, WRITTEN_AT_MS } from '../testing/old-databases.ts';

const LAST_SCHEMA_WITHOUT_BAD_READINGS = 3;

describeEachEngine('a database in which the sum of five minutes has become too large', (engine) => {
  it('stores readings of that device again', async () => {
    await restoreOldDatabase(engine.location, LAST_SCHEMA_WITHOUT_BAD_READINGS);
    await engine.query(`UPDATE latest SET a_sum = 9100000000000000, a_count = 91000 WHERE part = 1`);
    const app = await engine.open();
    const device = await app.devices.find('silo-alerts');
    assert(device !== undefined);
    const { deviceNo } = device;
    const { weight } = await latestOf(app, deviceNo);
    assert.partialDeepStrictEqual(weight, { value: 500_000, tsMs: WRITTEN_AT_MS });

    const laterMs = WRITTEN_AT_MS + 1;
    await app.telemetry.append(batchOf({ readings: [reading(deviceNo, laterMs, { weight: 7 })] }));
    const range = {
      deviceNo,
      lane: STANDARD_SENSORS.weight.lane,
      interval: '5m',
      fromMs: 0,
      toMs: laterMs,
    } as const;
    const bucket = (await app.telemetry.history(range)).at(-1);
    assert.partialDeepStrictEqual(bucket, { sum: 7, count: 1, max: 7, badCount: 91_000 });
  });
});
