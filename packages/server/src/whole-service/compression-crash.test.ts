import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { INTERVALS } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { describeEachEngine } from '@granary/testing/app/engines';
import { batchOf, reading, registerDevice } from '@granary/testing/app/fixtures';
import { everyRawRow, rawRowOf } from '@granary/testing/app/raw-readings';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { eventually } from '@granary/testing/server/eventually';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';

const READINGS = IS_FULL_SIZE ? 9_000 : 3_000;
const KILLS = IS_FULL_SIZE ? 2 : 1;
const PART = 1_000;

describeEachEngine('a service that is killed while it compresses readings and history', (engine) => {
  let dataDir = '';
  let service: ServiceProcess | undefined;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'granary-crash-'));
  });
  after(async () => {
    await service?.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = (): Promise<ServiceProcess> => {
    const { location } = engine;
    return startServiceProcess({
      GRANARY_DATA_DIR: location.engine === 'sqlite' ? location.folder : dataDir,
      GRANARY_DATABASE_URL: location.engine === 'postgres' ? location.url : '',
    });
  };
  const numberOf = async (text: string): Promise<number> => Number((await engine.query(text))[0]?.[0]);
  const chunks = () => numberOf('SELECT COUNT(*) FROM reading_chunks');
  const rows = () => numberOf('SELECT COUNT(*) FROM readings');
  const buckets = () => numberOf(`SELECT COUNT(*) FROM buckets WHERE size_ms < ${DAY_MS}`);

  test('every reading is there once, whenever it is killed', async () => {
    const app = await engine.open();
    const deviceNo = await registerDevice(app);
    const startMs = Date.now() - 20 * DAY_MS;
    const readings = Array.from({ length: READINGS }, (_, n) =>
      reading(deviceNo, startMs + n * MINUTE_MS, { weight: n * 7, humidity: n % 13 }),
    );
    for (let from = 0; from < READINGS; from += PART) {
      await app.telemetry.append(batchOf({ readings: readings.slice(from, from + PART) }));
    }
    const expected = readings.map(rawRowOf);
    const histories = () =>
      Promise.all(
        INTERVALS.map((interval) =>
          app.telemetry.history({
            deviceNo,
            lane: STANDARD_SENSORS.weight.lane,
            interval,
            fromMs: startMs - DAY_MS,
            toMs: Date.now(),
          }),
        ),
      );
    const history = await histories();
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await chunks();
      service = await start();
      await eventually(async () => (await chunks()) > before || (await rows()) === 0, true);
      await service.kill();
      assert.equal((await rows()) + (await numberOf('SELECT SUM(readings) FROM reading_chunks')), READINGS);
      assert.deepEqual(await everyRawRow(app), expected);
      assert.deepEqual(await histories(), history);
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await buckets();
      service = await start();
      await eventually(async () => (await buckets()) < before || (await buckets()) === 0, true);
      await service.kill();
      assert.deepEqual(await histories(), history);
    }
    service = await start();
    await eventually(async () => (await rows()) + (await buckets()), 0);
    await service.stop();
    assert.deepEqual(await everyRawRow(app), expected);
    assert.deepEqual(await histories(), history);
    const repeated = readings.slice(0, PART);
    assert.deepEqual(await app.telemetry.append(batchOf({ readings: repeated })), {
      stored: 0,
      repeated: PART,
    });
  });
});
