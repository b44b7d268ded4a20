import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { packReadings } from '@granary/core/telemetry/readings';
import type { UseCaseCall } from '@granary/store/engine';
import { Writer } from '@granary/store/sqlite/engine';
import { clientOver } from '@granary/store/sqlite/writer-client';
import { batchOf, isRefusal, latestOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import { type App, openApp } from '../app.ts';
import type { Effect } from '../effects.ts';
import { ThreadWriter } from '../thread-writes.ts';
import { USE_CASES } from '../use-cases.ts';

async function openSqliteApp(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
  const app = await openApp({ engine: 'sqlite', folder });
  t.after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { openThreadWrites } = app;
  assert.ok(openThreadWrites !== null);
  return { app, openThreadWrites };
}

const appending = (deviceNo: number, tsMs: number, weight: number): UseCaseCall => ({
  slice: 'telemetry',
  name: 'append',
  args: [batchOf({ readings: packReadings([reading(deviceNo, tsMs, { weight })]) })],
  idempotency: null,
  attempt: null,
});

/** Returns a client like that of another thread, which reports nothing. */
const clientOf = (openThreadWrites: NonNullable<App['openThreadWrites']>) =>
  clientOver(openThreadWrites().writer);

describe('a port to the writer', () => {
  it('writes beside the main thread, and each gets its own results', async (t) => {
    const { app, openThreadWrites } = await openSqliteApp(t);
    const deviceNo = await registerDevice(app, { deviceId: 'silo-1' });
    const clients = [clientOf(openThreadWrites), clientOf(openThreadWrites)];
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
    const { app, openThreadWrites } = await openSqliteApp(t);
    const client = clientOf(openThreadWrites);
    const unknown = { ...appending(1, NOW_MS, 1), name: 'unknown' };
    const [failed, ok] = await Promise.allSettled([client.submit(unknown), client.submit(null)]);
    assert.deepEqual([failed.status, ok.status], ['rejected', 'fulfilled']);
    await app.health();
  });

  it('refuses writes like an outage when the writer has ended', async (t) => {
    const { app, openThreadWrites } = await openSqliteApp(t);
    const client = clientOf(openThreadWrites);
    await client.submit(null);
    await app.close();
    const isOutage = isRefusal('storage_unavailable');
    while (!client.hasEnded) await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(client.submit(null), isOutage);
    const unopened = new Writer(join(tmpdir(), 'no such folder', 'granary.db'), USE_CASES.threadUrl);
    await assert.rejects(clientOver(unopened.openPort()).submit(null), isOutage);
  });
});

it('a cached value is forgotten when another thread has written a newer one, at the latest before it is read', async (t) => {
  const { app, openThreadWrites } = await openSqliteApp(t);
  const deviceNo = await registerDevice(app, { deviceId: 'silo-1' });
  const writers = [new ThreadWriter(openThreadWrites()), new ThreadWriter(openThreadWrites())];
  for (let round = 0; round < 20; round++) {
    const writer = writers[round % writers.length];
    const receipt = await writer?.write(appending(deviceNo, NOW_MS + round, round));
    assert.deepEqual(receipt, { stored: 1, repeated: 0 });
    for (let read = 0; read < 2; read++) {
      const shown = await app.telemetry.current('silo-1');
      assert.equal(shown?.latest.weight?.tsMs, NOW_MS + round);
    }
  }
  const { writes, failedWrites, pendingWrites } = writers[0]?.figures() ?? {};
  assert.deepEqual([writes, failedWrites, pendingWrites], [10, 0, 0]);
});

it('the effects of a write of another thread are carried out in this one, with the time when it began', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
  const carriedOut = Promise.withResolvers<readonly [Effect['kind'], number]>();
  const app = await openApp({ engine: 'sqlite', folder }, async ([effect], begunAtMs) => {
    if (effect?.kind === 'evaluate_alerts') carriedOut.resolve([effect.kind, begunAtMs]);
    return true;
  });
  t.after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const deviceNo = await registerDevice(app, { deviceId: 'silo-1' });
  assert.ok(app.openThreadWrites !== null);
  const writer = new ThreadWriter(app.openThreadWrites());
  const beforeMs = performance.now();
  await writer.write(appending(deviceNo, NOW_MS, 1));
  const [kind, begunAtMs] = await carriedOut.promise;
  assert.equal(kind, 'evaluate_alerts');
  assert.ok(begunAtMs > beforeMs - 1 && begunAtMs < performance.now(), `${begunAtMs - beforeMs} ms`);
});

it('effects that cannot be carried out are reported, and the write is answered', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
  const fault = new Error('a fault');
  const failed = Promise.withResolvers<unknown>();
  const options = { effectsFailed: failed.resolve };
  let isFailing = false;
  const carryOut = async () => {
    if (isFailing) throw fault;
    return true;
  };
  const app = await openApp({ engine: 'sqlite', folder }, carryOut, options);
  t.after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const deviceNo = await registerDevice(app, { deviceId: 'silo-1' });
  assert.ok(app.openThreadWrites !== null);
  const writer = new ThreadWriter(app.openThreadWrites());
  isFailing = true;
  assert.deepEqual(await writer.write(appending(deviceNo, NOW_MS, 1)), { stored: 1, repeated: 0 });
  assert.equal(await failed.promise, fault);
});
