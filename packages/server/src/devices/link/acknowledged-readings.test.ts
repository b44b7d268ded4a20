import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openApp } from '@granary/app/app';
import { LINK_LIMITS } from '@granary/link/limits';
import { registerDevice } from '@granary/testing/app/fixtures';
import { HOST, RecordingHandler, secretOf } from '@granary/testing/link/fixture';
import type { WaitingDeviceData } from '@granary/testing/server/devices/waiting-device';
import { newSharedClock } from '../../process/nodes/service-clock.ts';
import { createThreadLink } from './thread-link.ts';

const ROUNDS = 25;
const ACKNOWLEDGED_MS_MAX = 60_000;
const DEVICE = new URL(import.meta.resolve('@granary/testing/server/devices/waiting-device'));

/** A database, and a link in a thread that writes to it. */
async function start(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
  const app = await openApp({ engine: 'sqlite', folder });
  t.after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const deviceNo = await registerDevice(app, { deviceId: 'silo-1' });
  const handler = new RecordingHandler();
  handler.authenticate = async (deviceId) => ({ deviceNo, deviceId, profile: 'silo_scale' });
  const link = createThreadLink(
    handler,
    {
      logIn: (deviceId, secret) => handler.authenticate(deviceId, secret),
      app,
      sensorsOf: () => new Map(),
      log: () => undefined,
      failed: () => undefined,
    },
    {
      limits: LINK_LIMITS,
      sharesPorts: false,
      rawRetentionDays: 30,
      clock: newSharedClock(),
      heldReadingsMax: 1_000,
      certificate: null,
    },
  );
  const bound = await link.start({ plain: { host: HOST, port: 0 }, secure: null });
  t.after(() => link.stop());
  return { app, url: `mqtt://${HOST}:${bound.plain?.port}` };
}

test('a cached value is replaced before it is read again, also when no event was handled since the acknowledgement', async (t) => {
  const { app, url } = await start(t);
  const state = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const firstTsMs = Date.now() - ROUNDS;
  const workerData: WaitingDeviceData = {
    url,
    deviceId: 'silo-1',
    secret: secretOf('silo-1'),
    firstTsMs,
    state,
  };
  const device = new Worker(DEVICE, { workerData });
  t.after(() => device.terminate());
  await once(device, 'message');
  for (let round = 1; round <= ROUNDS; round++) {
    await app.telemetry.current('silo-1');
    Atomics.store(state, 0, round);
    Atomics.notify(state, 0);
    // This thread stands still meanwhile.
    assert.notEqual(Atomics.wait(state, 1, round - 1, ACKNOWLEDGED_MS_MAX), 'timed-out');
    const shown = await app.telemetry.current('silo-1');
    assert.equal(shown?.latest.weight?.tsMs, firstTsMs + round);
  }
});
