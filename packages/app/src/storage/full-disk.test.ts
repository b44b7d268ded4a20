import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ErrorCode } from '@granary/contract/errors';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { batchOf, isRefusal, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import { makeSmallDisk } from '@granary/testing/app/small-disk';
import { type App, openApp } from '../app.ts';

const READINGS_PER_BATCH = 2_000;

/** Appends batches until one is refused, and returns how many were stored. */
async function appendUntilRefused(app: App, deviceNo: number, refusal: ErrorCode): Promise<number> {
  for (let batch = 0; ; batch++) {
    try {
      await appendBatch(app, deviceNo, batch);
    } catch (error) {
      assert(isRefusal(refusal)(error), `refused with ${error}`);
      return batch;
    }
  }
}

function appendBatch(app: App, deviceNo: number, batch: number) {
  const firstMs = NOW_MS + batch * READINGS_PER_BATCH;
  const readings = Array.from({ length: READINGS_PER_BATCH }, (_, n) =>
    reading(deviceNo, firstMs + n, { weight: 1 }),
  );
  return app.telemetry.append(batchOf({ readings }));
}

async function withStore<T>(folder: string, work: (app: App) => Promise<T>): Promise<T> {
  const app = await openApp({ engine: 'sqlite', folder });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

async function countReadings(app: App, deviceNo: number): Promise<number> {
  const days = {
    deviceNo,
    lane: STANDARD_SENSORS.weight.lane,
    interval: '1d',
    fromMs: 0,
    toMs: 2 * NOW_MS,
  } as const;
  return (await app.telemetry.history(days)).reduce((sum, { count }) => sum + count, 0);
}

describe('a full disk', () => {
  const disk = makeSmallDisk();
  after(() => disk.remove());

  it('refuses whole writes, still answers reads, and accepts writes again when there is space', async () => {
    const [deviceNo, batches] = await withStore(disk.folder, async (app) => {
      const device = await registerDevice(app);
      disk.fill();
      const stored = await appendUntilRefused(app, device, disk.refusal);
      assert.equal(await countReadings(app, device), stored * READINGS_PER_BATCH);
      disk.freeSpace();
      await appendBatch(app, device, stored);
      assert.equal(await countReadings(app, device), (stored + 1) * READINGS_PER_BATCH);
      return [device, stored];
    });
    await withStore(disk.folder, async (app) => {
      const again = await appendBatch(app, deviceNo, batches);
      assert.partialDeepStrictEqual(again, { stored: 0, repeated: READINGS_PER_BATCH });
    });
  });
});
