import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { packReadings } from '@granary/core/telemetry/packed-readings';
import type { UseCaseCall } from '@granary/store/engine';
import { Writer } from '@granary/store/sqlite/engine';
import { clientOver } from '@granary/store/sqlite/writer-client';
import { batchOf, isRefusal, latestOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import { openApp, type ThreadWrites } from '../app.ts';
import { USE_CASES } from '../use-cases.ts';
import { writeCall } from '../write-call.ts';

async function openSqliteApp(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
  const app = await openApp({ engine: 'sqlite', folder });
  t.after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { threadWrites } = app;
  assert.ok(threadWrites !== null);
  return { app, threadWrites };
}

const appending = (deviceNo: number, tsMs: number, weight: number): UseCaseCall =>
  writeCall(
    'telemetry',
    'append',
    batchOf({ readings: packReadings([reading(deviceNo, tsMs, { weight })]) }),
  );

/** Returns a client like that of another thread. */
const clientOf = (threadWrites: ThreadWrites) => clientOver(threadWrites.openPort());

describe('a port to the writer', () => {
  it('writes beside the main thread, and each gets its own results', async (t) => {
    const { app, threadWrites } = await openSqliteApp(t);
    const deviceNo = await registerDevice(app, { deviceId: 'silo-1' });
    const clients = [clientOf(threadWrites), clientOf(threadWrites)];
    const before = app.writeFigures().commits;
    const written = await Promise.all([
      ...clients.map((client, index) => client.submit(appending(deviceNo, NOW_MS + index, index))),
      app.telemetry.append(batchOf({ readings: [reading(deviceNo, NOW_MS + 2, { weight: 2 })] })),
    ]);
    const stored = { stored: 1, repeated: 0 };
    const deviceNos = [deviceNo];
    const effects = [
      { kind: 'values_stored', deviceNos },
      { kind: 'evaluate_alerts', deviceNos },
    ];
    assert.deepEqual(written, [{ result: stored, effects }, { result: stored, effects }, stored]);
    assert.equal((await latestOf(app, deviceNo)).weight?.tsMs, NOW_MS + 2);
    const commits = app.writeFigures().commits - before;
    assert.ok(commits >= 1 && commits <= 3, `${commits} commits`);
  });

  it('returns the error of its own write only', async (t) => {
    const { app, threadWrites } = await openSqliteApp(t);
    const client = clientOf(threadWrites);
    const unknown = { ...appending(1, NOW_MS, 1), name: 'unknown' };
    const [failed, ok] = await Promise.allSettled([client.submit(unknown), client.submit(null)]);
    assert.deepEqual([failed.status, ok.status], ['rejected', 'fulfilled']);
    await app.health();
  });

  it('refuses writes like an outage when the writer has ended', async (t) => {
    const { app, threadWrites } = await openSqliteApp(t);
    const client = clientOf(threadWrites);
    await client.submit(null);
    await app.close();
    const isOutage = isRefusal('storage_unavailable');
    while (!client.hasEnded) await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(client.submit(null), isOutage);
    const unopened = new Writer(join(tmpdir(), 'no such folder', 'granary.db'), USE_CASES.threadUrl);
    await assert.rejects(clientOver(unopened.openPort()).submit(null), isOutage);
  });
});

it('a cached value is forgotten when another thread reports a newer one, at the latest before it is read', async (t) => {
  const { app, threadWrites } = await openSqliteApp(t);
  const client = clientOf(threadWrites);
  const deviceNo = await registerDevice(app, { deviceId: 'silo-1' });
  const reports: number[] = [];
  threadWrites.beforeCachedReads(() => {
    for (const no of reports.splice(0))
      void threadWrites.written([{ kind: 'values_stored', deviceNos: [no] }]);
  });
  for (let round = 0; round < 20; round++) {
    await client.submit(appending(deviceNo, NOW_MS + round, round));
    reports.push(deviceNo);
    for (let read = 0; read < 2; read++) {
      const shown = await app.telemetry.current('silo-1');
      assert.equal(shown?.latest.weight?.tsMs, NOW_MS + round);
    }
    assert.deepEqual(reports, []);
  }
});
