import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  latestOf,
  NOW_MS,
  reading,
  readySilo,
  registerDevice,
  weigh as weighSilo,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

describeEachEngine('the open bucket of a device', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const weigh = (through: App, deviceNo: number, minute: number, weight: number) =>
    through.telemetry.append(
      batchOf({ readings: [reading(deviceNo, NOW_MS + minute * MINUTE_MS, { weight })] }),
    );

  const fiveMinutes = async (deviceNo: number) => {
    const lane = STANDARD_SENSORS.weight.lane;
    const range = { fromMs: NOW_MS - DAY_MS, toMs: NOW_MS + DAY_MS };
    const buckets = await app.telemetry.history({ deviceNo, lane, interval: '5m', ...range });
    return buckets.map(({ startMs, sum, count }) => [(startMs - NOW_MS) / MINUTE_MS, sum, count]);
  };

  it('has nothing of a batch that failed after changing it', async () => {
    const deviceNo = await registerDevice(app);
    await weigh(app, deviceNo, 0, 10);
    const unknown = { deviceNo: 999_999, receivedAtMs: NOW_MS, topic: 'telemetry', reason: '', payload: '' };
    const readings = [1, 2, 7].map((minute) =>
      reading(deviceNo, NOW_MS + minute * MINUTE_MS, { weight: 100 }),
    );
    await assert.rejects(app.telemetry.append(batchOf({ readings, rejections: [unknown] })));
    await weigh(app, deviceNo, 3, 20);
    assert.deepEqual(await fiveMinutes(deviceNo), [[0, 30, 2]]);
  });

  it('has what two nodes add in turns', async () => {
    const other = await engine.open();
    const deviceNo = await registerDevice(app);
    for (let minute = 0; minute < 7; minute++)
      await weigh(minute % 2 ? other : app, deviceNo, minute, minute);
    assert.deepEqual(await fiveMinutes(deviceNo), [
      [0, 10, 5],
      [5, 11, 2],
    ]);
    assert.deepEqual(await latestOf(app, deviceNo), { weight: { value: 6, tsMs: NOW_MS + 6 * MINUTE_MS } });
  });

  it('takes the new ones of many readings of which some are repeated', async () => {
    const deviceNo = await registerDevice(app);
    const all = Array.from({ length: 240 }, (_, second) =>
      reading(deviceNo, NOW_MS + 1_000 * second, { weight: 1 }),
    );
    const some = all.filter((_, second) => second % 50 === 7);
    assert.deepEqual(await app.telemetry.append(batchOf({ readings: some })), { stored: 5, repeated: 0 });
    assert.deepEqual(await app.telemetry.append(batchOf({ readings: all })), { stored: 235, repeated: 5 });
    assert.deepEqual(await fiveMinutes(deviceNo), [[0, 240, 240]]);
  });

  it('is not evaluated until a value leaves the ranges of the last evaluation', async () => {
    const deviceNo = await readySilo(app);
    const evaluate = (nowMs: number) => app.alerts.evaluate({ deviceNos: [deviceNo], nowMs });
    assert.deepEqual(await weighSilo(app, deviceNo, 5_000, NOW_MS + 1), []);
    assert.deepEqual(await weighSilo(app, deviceNo, 1_500, NOW_MS + 2), [deviceNo]);
    assert.equal((await evaluate(NOW_MS + 2)).changes, 1);
    assert.deepEqual(await weighSilo(app, deviceNo, 1_500, NOW_MS + 3), []);
    assert.deepEqual(await weighSilo(app, deviceNo, 5_000, NOW_MS + 4), [deviceNo]);
  });
});
