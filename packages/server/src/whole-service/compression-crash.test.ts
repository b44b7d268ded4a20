import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { INTERVALS } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';
import { describeEachEngine } from '@granary/testing/app/engines';
import { batchOf, reading, registerDevice } from '@granary/testing/app/fixtures';
import { everyRawRow, rawRowOf } from '@granary/testing/app/raw-readings';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { eventually } from '@granary/testing/server/eventually';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';

const DEVICES = IS_FULL_SIZE ? 100 : 1;
const READINGS = IS_FULL_SIZE ? 100_000 : 3_000;
const SPACING_MS = IS_FULL_SIZE ? 10_000 : MINUTE_MS;
/** The service is killed this often while readings are compressed, and as often while history is. */
const KILLS = IS_FULL_SIZE ? 5 : 1;
/** Readings of each device that are written and compared together. */
const PART = IS_FULL_SIZE ? 100 : 1_000;
const KILLED_WITHIN_MS = IS_FULL_SIZE ? 1_000 : 50;
/** The limit for the compression of the readings and the history of all devices. */
const COMPRESSED_WITHIN_MS = (IS_FULL_SIZE ? 30 : 3) * MINUTE_MS;

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

  test('every reading is there once, and every history as before, whenever it is killed', async () => {
    const app = await engine.open();
    const deviceNos: number[] = [];
    while (deviceNos.length < DEVICES) deviceNos.push(await registerDevice(app));
    const startMs = Date.now() - 20 * DAY_MS;
    const readingAt = (deviceNo: number, n: number): Reading =>
      reading(deviceNo, startMs + n * SPACING_MS, { weight: n * 7, humidity: (n + deviceNo) % 13 });
    /** The readings in the order in which they are stored. */
    const readingsFrom = (from: number): Reading[] =>
      Array.from({ length: PART }, (_, n) =>
        deviceNos.map((deviceNo) => readingAt(deviceNo, from + n)),
      ).flat();
    for (let from = 0; from < READINGS; from += PART) {
      await app.telemetry.append(batchOf({ readings: readingsFrom(from) }));
    }
    const stored = DEVICES * READINGS;
    const histories = async (): Promise<string> => {
      const digest = createHash('sha256');
      for (const deviceNo of deviceNos) {
        for (const interval of INTERVALS) {
          for (const { lane } of [STANDARD_SENSORS.weight, STANDARD_SENSORS.humidity]) {
            const wanted = { deviceNo, lane, interval, fromMs: startMs - DAY_MS, toMs: Date.now() };
            digest.update(JSON.stringify(await app.telemetry.history(wanted)));
          }
        }
      }
      return digest.digest('hex');
    };
    const checkRawRows = async (from: number): Promise<void> => {
      const fromMs = startMs + from * SPACING_MS;
      const wanted = { fromMs, toMs: fromMs + PART * SPACING_MS, rowsMax: 5_000, scannedMax: 50_000 };
      assert.deepEqual(await everyRawRow(app, wanted), readingsFrom(from).map(rawRowOf));
    };
    /** Kills the service at another moment of the work each time. */
    const killSoon = async (): Promise<void> => {
      await sleep(Math.random() * KILLED_WITHIN_MS);
      await service?.kill();
    };
    const history = await histories();
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await chunks();
      service = await start();
      await eventually(async () => (await chunks()) > before || (await rows()) === 0, true);
      await killSoon();
      assert.equal((await rows()) + (await numberOf('SELECT SUM(readings) FROM reading_chunks')), stored);
      await checkRawRows(kill * PART);
      assert.equal(await histories(), history);
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await buckets();
      service = await start();
      await eventually(
        async () => (await buckets()) < before || (await buckets()) === 0,
        true,
        COMPRESSED_WITHIN_MS,
      );
      await killSoon();
      assert.equal(await histories(), history);
    }
    service = await start();
    await eventually(async () => (await rows()) + (await buckets()), 0, COMPRESSED_WITHIN_MS);
    await service.stop();
    for (let from = 0; from < READINGS; from += PART) await checkRawRows(from);
    assert.equal(await histories(), history);
    const repeated = readingsFrom(0);
    assert.deepEqual(await app.telemetry.append(batchOf({ readings: repeated })), {
      stored: 0,
      repeated: repeated.length,
    });
  });
});
