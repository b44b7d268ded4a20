import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { testAttempt } from '@granary/testing/app/attempts';
import { describePostgres } from '@granary/testing/app/engines';
import {
  batchOf,
  isRefusal,
  missionAt,
  NOW_MS,
  newDevice,
  newId,
  reading,
  readyFieldDevice,
  readySilo,
} from '@granary/testing/app/fixtures';
import { LostCommits } from '@granary/testing/app/lost-commits';
import { effectsDuring, openRecordingApp, sentIn } from '@granary/testing/app/recorded-effects';
import type { App } from '../app.ts';
import type { IdempotencyKey } from '../idempotency.ts';

type Once = ReturnType<App['once']>;

/** A write that callers repeat with the same idempotency key, made ready by other writes. */
interface Repeated {
  readonly name: string;
  readonly prepare: (app: App) => Promise<(once: Once) => Promise<{ readonly replayed: boolean }>>;
  /** The query that counts the rows of which the write adds one. */
  readonly counted: string;
}

async function running(app: App): Promise<{ readonly deviceNo: number; readonly operationId: string }> {
  const started = { deviceNo: await readySilo(app), operationId: newId('op') };
  const wanted = { ...started, type: 'feed', request: { amount: 100 }, isReachable: true } as const;
  await app.operations.start({ ...wanted, nowMs: NOW_MS });
  return started;
}

const emergencyStop = async (app: App) =>
  ({
    deviceNo: await readyFieldDevice(app),
    commandId: newId('cmd'),
    request: { command: 'emergency_stop' },
    isReachable: true,
    nowMs: NOW_MS,
  }) as const;

const REPEATED: readonly Repeated[] = [
  {
    name: 'a registration',
    prepare: async () => {
      const device = newDevice();
      return (once) => once.devices.register(device);
    },
    counted: 'SELECT COUNT(*) FROM devices',
  },
  {
    name: 'a start',
    prepare: async (app) => {
      const deviceNo = await readySilo(app);
      const start = { deviceNo, operationId: newId('op'), type: 'feed', request: { amount: 100 } } as const;
      return (once) => once.operations.start({ ...start, isReachable: true, nowMs: NOW_MS });
    },
    counted: 'SELECT COUNT(*) FROM operations',
  },
  {
    name: 'a stop',
    prepare: async (app) => {
      const address = await running(app);
      return (once) => once.operations.stop({ ...address, nowMs: NOW_MS });
    },
    counted: `SELECT COUNT(*) FROM operations WHERE status = 'stopping'`,
  },
  {
    name: 'an emergency stop',
    prepare: async (app) => {
      const issue = await emergencyStop(app);
      return (once) => once.commands.issue(issue);
    },
    counted: 'SELECT COUNT(*) FROM commands',
  },
  {
    name: 'a release of an emergency stop',
    prepare: async (app) => {
      const stop = await emergencyStop(app);
      await app.commands.issue(stop);
      const { deviceNo, commandId } = stop;
      const progress = { command_id: commandId, state: 'succeeded', ts: NOW_MS } as const;
      await app.commands.progressed({ deviceNo, progress, nowMs: NOW_MS });
      const request = { command: 'release_emergency_stop' } as const;
      const release = { ...stop, commandId: newId('cmd'), request };
      return (once) => once.commands.issue(release);
    },
    counted: `SELECT COUNT(*) FROM commands WHERE command = 'release_emergency_stop'`,
  },
  {
    name: 'a mission',
    prepare: async (app) => {
      const deviceNo = await readyFieldDevice(app);
      const creation = { deviceNo, missionId: newId('ms'), mission: missionAt(NOW_MS), isReachable: true };
      return (once) => once.missions.create({ ...creation, nowMs: NOW_MS });
    },
    counted: 'SELECT COUNT(*) FROM missions',
  },
  {
    name: 'other credentials',
    prepare: async (app) => {
      const { deviceNo } = await app.devices.register(newDevice());
      return (once) => once.devices.replaceSecret(deviceNo, 'another hash', NOW_MS);
    },
    counted: `SELECT COUNT(*) FROM devices WHERE secret_hash = 'another hash'`,
  },
  {
    name: 'a key',
    prepare: async () => {
      const keyId = newId('key');
      const key = { keyId, hash: `hash of ${keyId}`, name: 'k', kind: 'service' } as const;
      return (once) => once.keys.create({ ...key, createdAtMs: NOW_MS, grants: [], expiresAtMs: null });
    },
    counted: 'SELECT COUNT(*) FROM keys',
  },
];

describePostgres('a write whose commit was not answered', (engine) => {
  let lost: LostCommits;
  let app: App;
  before(async () => {
    assert(engine.location.engine === 'postgres');
    lost = await LostCommits.start(engine.location.url);
    app = await openRecordingApp({ engine: 'postgres', url: lost.url });
  });
  after(async () => {
    await app.close();
    lost.stop();
  });

  const keyOf = (key: string): IdempotencyKey => ({
    keyId: 'key_1',
    key,
    fingerprint: 'the request',
    nowMs: NOW_MS,
    encryptedSecret: null,
  });
  const count = async (text: string): Promise<number> => Number((await engine.query(text)).flat()[0]);

  for (const { name, prepare, counted } of REPEATED) {
    it(`is done once when its caller repeats it: ${name}`, async () => {
      const write = await prepare(app);
      const attemptId = newId('au');
      const ask = () => write(app.once(keyOf(name), testAttempt({ attemptId })));
      const before = await count(counted);
      const { effects } = await effectsDuring(app, async () => {
        lost.loseNext();
        await assert.rejects(ask(), (error) => {
          assert(isRefusal('storage_unavailable')(error) && error instanceof Error);
          assert.match(error.message, /may have been made or not/);
          return true;
        });
        // The row is visible before the caller knows, as with a commit that waits for a standby and is cancelled.
        assert.equal(await count(counted), before + 1);
        assert.equal((await ask()).replayed, true);
        assert.equal((await ask()).replayed, true);
      });
      assert.equal(await count(counted), before + 1);
      // A message that moves a device is sent only by the request that knows that the operation is stored, or not at all.
      assert.deepEqual(sentIn(effects), []);
      assert.equal(await count(`SELECT COUNT(*) FROM audit WHERE audit_id = '${attemptId}'`), 1);
    });
  }

  it('is stored once when a device repeats it', async () => {
    const { deviceNo, operationId } = await running(app);
    const batch = batchOf({ readings: [reading(deviceNo, NOW_MS + 1, { weight: 5_000 })] });
    const ack = { operation_id: operationId, accepted: true };
    const progress = { operation_id: operationId, state: 'completed', amount_kg: 100, ts: NOW_MS } as const;
    for (const write of [
      () => app.telemetry.append(batch),
      () => app.operations.acknowledged({ deviceNo, ack, nowMs: NOW_MS + 1 }),
      () => app.operations.progressed({ deviceNo, progress, nowMs: NOW_MS + 2 }),
    ]) {
      lost.loseNext();
      await assert.rejects(write(), isRefusal('storage_unavailable'));
      await write();
    }
    assert.equal(
      await count(`SELECT COUNT(*) FROM readings WHERE ts_ms = ${NOW_MS + 1} AND device_no = ${deviceNo}`),
      1,
    );
    assert.equal((await app.operations.find(deviceNo, operationId))?.status, 'completed');
  });
});
