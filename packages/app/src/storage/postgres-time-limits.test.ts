import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RequestTime } from '@granary/common/request-time';
import { openPostgres } from '@granary/store/postgres/engine';
import { testAttempt } from '@granary/testing/app/attempts';
import { describePostgres } from '@granary/testing/app/engines';
import { isRefusal, newDevice } from '@granary/testing/app/fixtures';
import { Client } from 'pg';
import type { StoreLocation } from '../app.ts';
import { USE_CASES } from '../use-cases.ts';

const CALL_MS = 500;
/** This time is enough for everything before a COMMIT on a busy machine. */
const PATIENT_CALL_MS = 4_000;
const SLOW_COMMIT_S = 8;
const LIMITS = {
  callMs: CALL_MS,
  lockMs: 3_000,
  longMs: 10_000,
  statementMs: 60_000,
  idleInTransactionMs: 10_000,
};
const REGULAR_CONNECTIONS = 10;
const MINUTE_MS = 60_000;

const urlOf = (location: StoreLocation): string => {
  assert(location.engine === 'postgres');
  return location.url;
};

const findDevice = 'SELECT device_id FROM devices WHERE device_id = $1';

describePostgres('time limits in the PostgreSQL client', (engine) => {
  it('answers that the outcome is unknown when a commit is not answered, and drops the connection', async () => {
    await (await engine.open()).close();
    await engine.query(`
      CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(${SLOW_COMMIT_S}); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER commit_slowly AFTER INSERT ON devices DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION commit_slowly();
    `);
    const limits = { ...LIMITS, callMs: PATIENT_CALL_MS };
    const opened = await openPostgres(urlOf(engine.location), USE_CASES, { limits });
    try {
      const device = newDevice();
      const call = {
        slice: 'devices',
        name: 'register',
        args: [device],
        idempotency: null,
        attempt: null,
      } as const;
      await assert.rejects(opened.write(call), (error) => {
        assert(isRefusal('storage_unavailable')(error) && error instanceof Error);
        assert.match(error.message, /may have been made or not/);
        return true;
      });
      const isThere = async () => (await opened.reader.query(findDevice, [device.deviceId])).length;
      assert.equal(await isThere(), 0);
      for (let attempt = 0; (await isThere()) === 0 && attempt < 300; attempt++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.equal(await isThere(), 1, 'the server commits after the client has stopped waiting');
    } finally {
      await opened.close();
      await engine.query('DROP TRIGGER commit_slowly ON devices');
    }
  });

  it('answers that nothing was changed when a write exceeds its time limit before its commit', async () => {
    const opened = await openPostgres(urlOf(engine.location), USE_CASES, { limits: LIMITS });
    const lockingClient = new Client(urlOf(engine.location));
    await lockingClient.connect();
    try {
      await lockingClient.query('BEGIN; LOCK TABLE devices IN ACCESS EXCLUSIVE MODE');
      const device = newDevice();
      const call = {
        slice: 'devices',
        name: 'register',
        args: [device],
        idempotency: null,
        attempt: null,
      } as const;
      await assert.rejects(opened.write(call), /nothing was changed/);
      await lockingClient.query('ROLLBACK');
      assert.deepEqual(await opened.reader.query(findDevice, [device.deviceId]), []);
    } finally {
      await lockingClient.end();
      await opened.close();
    }
  });

  it('ends calls with the request that they belong to, and refuses the next ones at once', async () => {
    const patient = { ...LIMITS, callMs: MINUTE_MS, lockMs: MINUTE_MS };
    const opened = await openPostgres(urlOf(engine.location), USE_CASES, { limits: patient });
    const lockingClient = new Client(urlOf(engine.location));
    await lockingClient.connect();
    try {
      await opened.reader.query(findDevice, ['x']);
      await lockingClient.query('BEGIN; LOCK TABLE devices IN ACCESS EXCLUSIVE MODE');
      const device = newDevice();
      const call = { slice: 'devices', name: 'register', args: [device], idempotency: null, attempt: null };
      const read = (time: RequestTime) => opened.readerWithin(time).query(findDevice, [device.deviceId]);
      const beganMs = performance.now();
      await Promise.all([
        assert.rejects(read(new RequestTime(CALL_MS)), isRefusal('storage_unavailable')),
        assert.rejects(opened.write(call, new RequestTime(CALL_MS)), /nothing was changed/),
        assert.rejects(read(new RequestTime(0)), isRefusal('storage_unavailable')),
      ]);
      // Without the limit of the request, the storage would have waited for a minute.
      assert(performance.now() - beganMs < MINUTE_MS / 2, `${performance.now() - beganMs} ms`);
      const others = opened.reader.query(findDevice, [device.deviceId]);
      await lockingClient.query('ROLLBACK');
      assert.deepEqual(await others, []);
    } finally {
      await lockingClient.end();
      await opened.close();
    }
  });

  it('shares the time of a request between its reads and writes, and with no others', async () => {
    const app = await engine.open();
    const device = newDevice();
    const { reads, audited } = app.within(new RequestTime(0));
    await assert.rejects(reads.devices.find(device.deviceId), isRefusal('storage_unavailable'));
    await assert.rejects(reads.telemetry.current(device.deviceId), isRefusal('storage_unavailable'));
    await assert.rejects(audited(testAttempt()).devices.register(device), /nothing was changed/);
    const time = new RequestTime();
    const inTime = app.within(time);
    await inTime.audited(testAttempt()).devices.register(device);
    assert.equal(time.hasChanged, true);
    assert.equal((await inTime.reads.devices.find(device.deviceId))?.deviceId, device.deviceId);
    assert.equal((await inTime.reads.telemetry.current(device.deviceId))?.deviceId, device.deviceId);
    assert.equal((await app.within(null).reads.devices.find(device.deviceId))?.deviceId, device.deviceId);
  });

  it('lets the server end the transaction of a node that disappeared before others stop waiting for its locks', async () => {
    const opened = await openPostgres(urlOf(engine.location), USE_CASES);
    try {
      const milliseconds = async (setting: string): Promise<number> => {
        const text = `SELECT setting::int AS ms FROM pg_settings WHERE name = '${setting}'`;
        return (await opened.reader.query<{ ms: number }>(text))[0]?.ms ?? 0;
      };
      const idleMs = await milliseconds('idle_in_transaction_session_timeout');
      assert(idleMs > 0 && idleMs < (await milliseconds('lock_timeout')), `${idleMs} ms`);
    } finally {
      await opened.close();
    }
  });

  it('keeps connections free for urgent work and for numbers of events while all others are busy', async () => {
    const app = await engine.open();
    const lockingClient = new Client(urlOf(engine.location));
    await lockingClient.connect();
    try {
      await lockingClient.query('BEGIN; LOCK TABLE keys IN ACCESS EXCLUSIVE MODE');
      const waiting = Array.from({ length: REGULAR_CONNECTIONS }, () => app.keys.findByHash('x'));
      const regular = app.devices.find('x').then(() => 'regular');
      const urgent = app.urgent.devices.find('x').then(() => 'urgent');
      assert.equal(await Promise.race([regular, urgent]), 'urgent');
      const numbered = app.numberEvents().then(() => 'numbered');
      assert.equal(await Promise.race([regular, numbered]), 'numbered');
      await lockingClient.query('ROLLBACK');
      await Promise.all([...waiting, regular]);
    } finally {
      await lockingClient.end();
    }
  });
});
