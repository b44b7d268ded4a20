import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { LINKS, type TestedLink } from '@granary/testing/server/links/device-links';
import { apiOf } from '@granary/testing/server/service';
import { createService } from '../../compose.ts';
import { readSettings } from '../../process/settings.ts';

/** The service may be writing at this moment. */
const LOCK_WAIT_MS = 10_000;
/** This is far below the time for which the writer waits for the lock, and far above what a busy machine adds. */
const ANSWERED_MS_MAX = 2_000;
/** This many requests for one stop are entered in the audit log when the storage is available again. */
const ASKED = 50;
const REPEATED_EVERY_MS = 450;
/** The event log is read four times in this time. */
const TOLD_MS = 1_000;
/** This is long enough for a request to arrive. */
const MOMENT_MS = 200;

/** Fails if the answer waited for the storage. */
async function withoutWaiting<T>(answering: Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const answer = await answering;
  assert.ok(performance.now() - startedAtMs < ANSWERED_MS_MAX, 'the answer waited for the storage');
  return answer;
}

/** A service, and a second connection to its database that can lock it. */
async function startService(t: TestContext, startLink: TestedLink['start']) {
  const dataDir = await mkdtemp(join(tmpdir(), 'granary-test-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }));
  const link = await startLink();
  t.after(() => link.stop());
  const service = createService(
    readSettings({
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_DATA_DIR: dataDir,
      ...link.env,
    }),
  );
  const started = await service.start();
  t.after(() => service.stop());
  const lockingDatabase = new DatabaseSync(join(dataDir, 'granary.db'), { timeout: LOCK_WAIT_MS });
  const api = apiOf(
    () => started,
    () => started.adminKey.key,
    undefined,
    () => link,
  );
  return {
    api,
    damageConfigurations: () => lockingDatabase.exec(`UPDATE configurations SET body = '{'`),
    block: () => lockingDatabase.exec('BEGIN EXCLUSIVE'),
    release: () => {
      lockingDatabase.exec('ROLLBACK');
      lockingDatabase.close();
    },
  };
}

for (const { name, start } of LINKS) {
  describe(`urgent commands while nothing can be stored, devices on ${name}`, () => {
    test('a stop reaches the device although nothing can be stored, and is stored afterwards', async (t) => {
      const { api, block, release } = await startService(t, start);
      const silo = await startSilo(api, 'urgent');
      t.after(() => silo.leave());
      const id = (await api.post(`${silo.path}/operations/feed`, { amount: 100 })).body.data.operation_id;
      await silo.take('start');
      await silo.ack({ operation_id: id, accepted: true });

      block();
      const answered = withoutWaiting(api.post(`${silo.path}/operations/${id}/stop`));
      await silo.take('stop');
      const { status, body } = await answered;
      assert.deepEqual([status, body.data.status, body.data.operation_id], [200, 'stopping', id]);
      const statusOf = async () => (await api.get(`${silo.path}/operations/${id}`)).body.data.status;
      assert.equal(await statusOf(), 'in_progress');
      // The copy that was sent with the answer, and one repetition from memory.
      await silo.take('stop');
      await silo.take('stop');
      const params = { name: 'operations_stop', arguments: { device_id: 'urgent', operation_id: id } };
      const byAgent = await api.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      assert.deepEqual([byAgent.status, byAgent.body.result.isError], [200, false], byAgent.text);
      release();
      await eventually(statusOf, 'stopping');
      await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 10 });
      assert.equal(await statusOf(), 'stopped');
    });

    test('an emergency stop reaches the device although nothing can be stored, and is stored afterwards', async (t) => {
      const { api, block, release } = await startService(t, start);
      const rover = await startRover(api, 'urgent');
      t.after(() => rover.leave());

      block();
      const answered = withoutWaiting(
        api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' }),
      );
      const { command_id: id } = await rover.take('execute');
      const { status, body } = await answered;
      assert.deepEqual([status, body.data.status, body.data.command_id], [200, 'sent', id]);
      const path = `${rover.path}/remote/commands/${id}`;
      assert.equal((await api.get(path)).status, 404);
      // The copy that was sent with the answer, and one repetition from memory, with the same id.
      for (let time = 0; time < 2; time++) assert.equal((await rover.take('execute')).command_id, id);
      const moving = await api.post(`${rover.path}/remote/command`, { command: 'scan' });
      assert.equal(moving.status, 503);
      release();
      await eventually(async () => (await api.get(path)).body.data?.status, 'sent');
      await rover.commandProgress({ command_id: id, state: 'succeeded' });
      assert.equal((await api.get(path)).body.data.status, 'succeeded');
      assert.equal((await api.get(`${rover.path}/remote/commands`)).body.data.length, 1);
    });

    test('stops that are stored and wait for their devices reach them although the storage does not answer when they come back', async (t) => {
      const { api, block, release } = await startService(t, start);
      const silo = await startSilo(api, 'away');
      const rover = await startRover(api, 'away-too');
      t.after(() => Promise.all([silo.leave(), rover.leave()]));
      const id = (await api.post(`${silo.path}/operations/feed`, { amount: 100 })).body.data.operation_id;
      await silo.take('start');
      await silo.ack({ operation_id: id, accepted: true });
      for (const device of [silo, rover]) {
        await device.dropConnection();
        await eventually(async () => (await api.get(`${device.path}/link`)).body.data.connected, false);
      }
      const stopped = await api.post(`${silo.path}/operations/${id}/stop`);
      const halted = await api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' });
      assert.deepEqual([stopped.body.data.status, halted.body.data.status], ['stopping', 'queued']);
      // By now the event log has told every node.
      await sleep(TOLD_MS);

      block();
      const returned = Promise.all([silo.reconnect(), rover.reconnect()]);
      assert.equal((await silo.take('stop')).operation_id, id);
      assert.equal((await rover.take('execute')).command_id, halted.body.data.command_id);
      release();
      await returned;
    });

    test('however often a stop is asked for in an outage, the device gets one, every caller an answer and the audit log each request', async (t) => {
      const { api, block, release } = await startService(t, start);
      const rover = await startRover(api, 'asked-often');
      t.after(() => rover.leave());
      const stop = () => api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' });
      const stops = () => rover.commands.filter((sent) => sent.command === 'execute').length;

      block();
      const startedAtMs = performance.now();
      const answers = await Promise.all(Array.from({ length: 25 }, stop));
      while (answers.length < ASKED)
        answers.push(...(await Promise.all([stop(), stop(), stop(), stop(), stop()])));
      const rounds = Math.ceil((performance.now() - startedAtMs) / REPEATED_EVERY_MS);
      const sent = stops();
      // The stop is sent once when it is asked for, once when it is known that it cannot be stored, and once in each round.
      assert.ok(sent <= rounds + 2, `${sent} stops in ${rounds} rounds`);
      const [id, ...others] = new Set(answers.map(({ body }) => body.data?.command_id));
      assert.deepEqual([others, new Set(answers.map(({ status }) => status))], [[], new Set([200])]);
      assert.equal((await rover.take('execute')).command_id, id);
      release();

      const path = `${rover.path}/remote/commands`;
      await eventually(async () => (await api.get(`${path}/${id}`)).body.data?.status, 'sent');
      const entries = async () => {
        const entered = await api.get('/v1/audit?action=commands.give&result=done&limit=100');
        return entered.body.data.filter((entry: { resource_id: string }) => entry.resource_id === id).length;
      };
      await eventually(entries, ASKED);
      await rover.commandProgress({ command_id: id, state: 'succeeded' });
      await eventually(async () => (await api.get(`${path}/${id}`)).body.data.status, 'succeeded');
      // The next stop is another one, and the device is connected as before.
      const { command_id: next } = (await stop()).body.data;
      assert.notEqual(next, id);
      let taken = await rover.take('execute');
      while (taken.command_id === id) taken = await rover.take('execute');
      assert.equal(taken.command_id, next);
      assert.equal((await api.get(path)).body.data.length, 2);
    });

    test('a command after an emergency stop that is not stored yet does not move the device', async (t) => {
      const { api, block, release } = await startService(t, start);
      const rover = await startRover(api, 'stopped-first');
      t.after(() => rover.leave());

      block();
      const { command_id: id } = (
        await api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' })
      ).body.data;
      const moving = api.post(`${rover.path}/remote/command`, { command: 'scan' });
      await sleep(MOMENT_MS);
      release();
      await moving;
      await eventually(
        async () => (await api.get(`${rover.path}/remote/commands/${id}`)).body.data?.status,
        'sent',
      );
      const names = rover.commands.flatMap((sent) => (sent.command === 'execute' ? [sent.name] : []));
      assert.deepEqual(new Set(names), new Set(['emergency_stop']));
    });

    test('a release and a command after it are sent at once, although the emergency stop was stored late', async (t) => {
      const { api, block, release } = await startService(t, start);
      const rover = await startRover(api, 'released-soon');
      t.after(() => rover.leave());
      const issue = async (command: string) =>
        (await api.post(`${rover.path}/remote/command`, { command })).body.data;

      block();
      const { command_id: id } = await issue('emergency_stop');
      release();
      const path = `${rover.path}/remote/commands/${id}`;
      await eventually(async () => (await api.get(path)).body.data?.status, 'sent');
      await rover.commandProgress({ command_id: id, state: 'succeeded' });
      await issue('release_emergency_stop');
      const { command_id: returning } = await issue('scan');
      let taken = await rover.take('execute');
      while (taken.name === 'emergency_stop') taken = await rover.take('execute');
      assert.equal(taken.name, 'release_emergency_stop');
      assert.equal((await rover.take('execute')).command_id, returning);
    });

    test('an emergency stop reaches a device whose stored configuration is damaged', async (t) => {
      const { api, damageConfigurations } = await startService(t, start);
      const rover = await startRover(api, 'damaged');
      t.after(() => rover.leave());

      damageConfigurations();
      const { status, body } = await api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' });
      assert.equal(status, 200);
      assert.match(body.data.status_detail, /could not be stored yet/);
      assert.equal((await rover.take('execute')).name, 'emergency_stop');
    });
  });
}
