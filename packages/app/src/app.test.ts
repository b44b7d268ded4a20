import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { RequestTime } from '@granary/common/request-time';
import { Refusal } from '@granary/contract/errors';
import { WRITES_PENDING_MAX } from '@granary/store/engine';
import { StoreOpenError } from '@granary/store/errors';
import { testAttempt } from '@granary/testing/app/attempts';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  isRefusal,
  latestOf,
  NOW_MS,
  newDevice,
  reading,
  registerDevice,
} from '@granary/testing/app/fixtures';
import { type App, openApp } from './app.ts';

/** This time is enough for one write. */
const REQUEST_MS = 2_000;

describeEachEngine('the store', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  it('keeps stored data when it is opened again', async () => {
    const first = await engine.open();
    const device = await first.devices.register(newDevice());
    await first.close();
    const second = await engine.open();
    assert.deepEqual(await second.devices.find(device.deviceId), device);
  });

  it('is healthy while open, refuses every call once closed, and can be closed twice', async () => {
    const closing = await engine.open();
    await closing.health();
    await Promise.all([closing.close(), closing.close()]);
    await closing.close();
    await assert.rejects(closing.health(), isRefusal('storage_unavailable'));
    await assert.rejects(closing.devices.find('x'), isRefusal('storage_unavailable'));
    await assert.rejects(closing.devices.register(newDevice()), isRefusal('storage_unavailable'));
  });

  it('finishes writes that were under way when it is closed', async () => {
    const closing = await engine.open();
    const device = newDevice();
    const [registered] = await Promise.all([closing.devices.register(device), closing.close()]);
    assert.deepEqual(await app.devices.find(device.deviceId), registered);
  });

  it('rolls back a write that fails completely, and no other write of the same time', async () => {
    const deviceNo = await registerDevice(app);
    const append = (tsMs: number, seenDeviceNo: number) =>
      app.telemetry.append(
        batchOf({
          readings: [reading(deviceNo, tsMs, { weight: 1 })],
          seen: [{ deviceNo: seenDeviceNo, atMs: tsMs }],
        }),
      );
    const unknownDeviceNo = 999_999;
    const outcomes = await Promise.allSettled([
      append(NOW_MS, deviceNo),
      append(NOW_MS + 1, unknownDeviceNo),
      append(NOW_MS + 2, deviceNo),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert(outcomes[1].status === 'rejected' && !(outcomes[1].reason instanceof Refusal));
    assert.deepEqual(
      await engine.query(`SELECT ts_ms FROM readings WHERE device_no = ${deviceNo} ORDER BY ts_ms`),
      [[NOW_MS], [NOW_MS + 2]],
    );
    const { tsMs } = (await latestOf(app, deviceNo)).weight ?? {};
    assert.equal(tsMs, NOW_MS + 2);
  });

  it('refuses more writes than may wait, and carries out those that wait', async () => {
    // A write that finds nothing to change does not wait for other writes or for the disk.
    const writes = Array.from({ length: WRITES_PENDING_MAX + 1 }, (_, n) => app.keys.recordUse('unknown', n));
    const outcomes = await Promise.allSettled(writes);
    // On a busy machine some of those that wait may exceed the time limit of a call.
    const refused = outcomes.flatMap((outcome, n) =>
      outcome.status === 'rejected' && /too many writes/.test(String(outcome.reason.cause)) ? [n] : [],
    );
    assert.deepEqual(refused, [WRITES_PENDING_MAX]);
    await assert.rejects(writes[WRITES_PENDING_MAX] ?? Promise.resolve(), isRefusal('storage_unavailable'));
    await app.health();
  });

  it('does not open a database of a newer version', async () => {
    const older = await engine.open();
    await older.close();
    await withSchemaVersion(1_000, async () => {
      await assert.rejects(
        engine.open(),
        (error) => error instanceof StoreOpenError && /newer version \(schema 1000/.test(error.message),
      );
    });
    await (await engine.open()).health();
  });

  async function withSchemaVersion(version: number, work: () => Promise<void>): Promise<void> {
    const [[current] = []] = await engine.query('SELECT version FROM granary_schema');
    await engine.query(`UPDATE granary_schema SET version = ${version}`);
    try {
      await work();
    } finally {
      await engine.query(`UPDATE granary_schema SET version = ${current}`);
    }
  }
});

describeEachEngine('the effects of a write', (engine) => {
  it('are carried out after the time of the request, which does not wait for them longer than it may', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const app = await openApp(engine.location, async () => {
      await promise;
      return true;
    });
    try {
      const time = new RequestTime(REQUEST_MS);
      const device = newDevice();
      const registered = await app.within(time).audited(testAttempt()).devices.register(device);
      assert.equal(registered.deviceId, device.deviceId);
      // A timer may end a fraction of a millisecond early.
      assert.deepEqual([time.hasChanged, Math.floor(time.leftMs)], [true, 0]);
    } finally {
      resolve();
      await app.close();
    }
  });
});

describe('opening a PostgreSQL store', () => {
  for (const [what, url] of [
    ['the connection is refused', 'postgres://granary:secret@127.0.0.1:1/granary'],
    ['the address is not a URL', 'secret'],
  ] as const) {
    it(`fails with one line, without the password, when ${what}`, async () => {
      await assert.rejects(openApp({ engine: 'postgres', url }), (error) => {
        assert(error instanceof StoreOpenError);
        assert.match(error.message, /^cannot use the database at [^\n]+: [^\n]+$/);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    });
  }
});
