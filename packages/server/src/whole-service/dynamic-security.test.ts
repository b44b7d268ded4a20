import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { topicOf } from '@granary/contract/link/messages';
import { describePostgres } from '@granary/testing/app/engines';
import {
  firstConfiguration,
  type MosquittoBroker,
  SECURITY_FILE,
  startDynamicSecurityBroker,
} from '@granary/testing/link/mosquitto-broker';
import { eventually } from '@granary/testing/server/eventually';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';
import { noteTouched } from '@granary/testing/server/published/answer-check';
import { fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const without = process.env['GRANARY_TEST_WITHOUT']?.includes('mosquitto')
  ? 'mosquitto is not installed here'
  : false;
if (without !== false) noteTouched(null, 503, 'broker_unavailable');
const options = { skip: without, timeout: 300_000 };
const run = promisify(execFile);

interface Login {
  readonly username: string;
  readonly secret: string;
}

describePostgres('two nodes and the dynamic security plugin of Mosquitto', (engine) => {
  const start = nodeProcesses(engine);
  let broker: MosquittoBroker;
  let nodes: readonly [NodeProcess, NodeProcess];

  before(async () => {
    if (without !== false) return;
    broker = await startDynamicSecurityBroker();
    const env = { GRANARY_BROKER_URL: broker.url, GRANARY_BROKER_ACCESS: 'dynamic-security' };
    nodes = await Promise.all([start(env), start(env)]);
  });
  after(() => broker?.remove());

  const register = async (
    deviceId: string,
    node = nodes[0],
    idempotencyKey = `register-${deviceId}`,
  ): Promise<Login> => {
    let login: Login | undefined;
    const registered = async (): Promise<number> => {
      const { status, body } = await node.api.post(SILOS, siloNamed(deviceId), {
        'idempotency-key': idempotencyKey,
      });
      login = body.data?.credentials;
      return status;
    };
    // The connection for credentials may be the last one that comes back after a restart of the broker. A refusal on a busy machine may
    // come after the device was stored; a repetition with the same key completes the registration.
    await eventually(registered, 200);
    assert(login);
    return login;
  };
  /** Publishes as a device with the programs of Mosquitto; returns their exit code, which is 0 if the login was accepted. */
  const send = ({ username, secret }: Login, topic = topicOf(username, 'telemetry')): Promise<number> => {
    const { host, port } = broker.access;
    const login = ['-h', host, '-p', String(port), '-V', '5', '-i', username, '-u', username, '-P', secret];
    const message = JSON.stringify({ ts: Date.now(), weight: 512.5 });
    return exitCodeOf('mosquitto_pub', [...login, '-q', '1', '-t', topic, '-m', message]);
  };
  /** Resolves with the exit code when the broker ends the connection, because the program does not reconnect. */
  const listen = async ({ username, secret }: Login): Promise<{ readonly ended: Promise<number> }> => {
    const { host, port } = broker.access;
    const login = ['-h', host, '-p', String(port), '-V', '5', '-i', username, '-u', username, '-P', secret];
    const will = ['--will-topic', topicOf(username, 'status'), '--will-payload', '{"state":"offline"}'];
    const topic = ['-t', topicOf(username, 'command'), '-q', '1'];
    const ended = exitCodeOf('mosquitto_sub', [...login, ...will, ...topic, '-C', '1', '-W', '120']);
    const isThere = async () =>
      (await readFile(join(broker.folder, SECURITY_FILE), 'utf8')).includes(username);
    await eventually(isThere, true);
    return { ended };
  };
  const statusAt = async (deviceId: string, node = nodes[0]): Promise<number> =>
    (await node.api.get(`${SILOS}/${deviceId}`)).status;
  const unknownDevices = async ({ api }: NodeProcess): Promise<number | undefined> =>
    (await api.get('/readyz')).body.broker?.unknown_devices;
  const clientsAtBroker = async (): Promise<string[]> => {
    const text = await readFile(join(broker.folder, SECURITY_FILE), 'utf8');
    try {
      return JSON.parse(text).clients.map(({ username }: { username: string }) => username);
    } catch {
      // The broker is writing the file, so it is read again.
      return await clientsAtBroker();
    }
  };

  test(
    'a device can log in with what its registration answered, through any node and in any group',
    options,
    async () => {
      const login = await register('new-silo');
      assert.equal(await send(login), 0);
      assert.notEqual(await send({ ...login, secret: 'wrong' }), 0);
      const status = async () => (await nodes[1].api.get(`${SILOS}/new-silo`)).body.data.status;
      await eventually(status, 'online');
      const field = await nodes[1].api.post('/v1/fielddevice/devices', fieldDeviceNamed('new-rover'));
      assert.equal(await send(field.body.data.credentials, topicOf('new-rover', 'status')), 0);
      const document = { version: 1, devices: [{ ...siloNamed('applied-silo'), profile: 'silo_scale' }] };
      const applied = await nodes[1].api.post('/v1/apply', document);
      assert.equal(applied.status, 200, applied.text);
      assert.equal(await send(applied.body.data.credentials[0]), 0);
    },
  );

  test(
    'replaced credentials end the connection, through the other node, and only the new ones work',
    options,
    async () => {
      const before = await register('replaced-silo');
      const { ended } = await listen(before);
      const answer = await nodes[1].api.post(`${SILOS}/replaced-silo/credentials`, undefined, {
        'idempotency-key': 'replace-1',
      });
      assert.notEqual(await ended, 0);
      assert.notEqual(await send(before), 0);
      assert.equal(await send(answer.body.data), 0);
      const again = await nodes[0].api.post(`${SILOS}/replaced-silo/credentials`, undefined, {
        'idempotency-key': 'replace-1',
      });
      assert.deepEqual(again.body, answer.body);
      assert.equal(await send(answer.body.data), 0);
    },
  );

  test('a removed device is removed from the broker and cannot come back', options, async () => {
    const login = await register('removed-silo');
    const { ended } = await listen(login);
    assert.equal((await nodes[1].api.delete(`${SILOS}/removed-silo`)).status, 200);
    assert.notEqual(await ended, 0);
    await eventually(async () => (await clientsAtBroker()).includes('removed-silo'), false);
    assert.notEqual(await send(login), 0);
  });

  test('of two nodes that register the same id one does, and its secret works', options, async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(nodes.map(({ api }) => api.post(SILOS, siloNamed(`twice-${round}`))));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
      const winner = answers.find(({ status }) => status === 200);
      assert.equal(await send(winner?.body.data.credentials), 0);
    }
    const many = Array.from({ length: 20 }, (_, index) => register(`many-${index}`, nodes[index % 2]));
    for (const login of await Promise.all(many)) assert.equal(await send(login), 0);
  });

  test(
    'while the broker is away nothing is registered or replaced, and what was removed is removed later',
    options,
    async () => {
      const kept = await register('kept-silo');
      const removed = await register('lost-silo');
      await broker.end();
      for (const { api } of nodes) {
        await eventually(async () => (await api.get('/readyz')).status, 503);
        const refused = await api.post(SILOS, siloNamed('unheard-silo'), { 'idempotency-key': 'unheard' });
        assert.deepEqual([refused.status, refused.body.error.code], [503, 'broker_unavailable']);
        const replacing = await api.post(`${SILOS}/kept-silo/credentials`);
        assert.deepEqual([replacing.status, replacing.body.error.code], [503, 'broker_unavailable']);
        const document = { version: 1, devices: [{ ...siloNamed('unheard-silo'), profile: 'silo_scale' }] };
        const applied = await api.post('/v1/apply', document);
        assert.deepEqual([applied.status, applied.body.error.code], [503, 'broker_unavailable']);
      }
      assert.equal(await statusAt('unheard-silo'), 404);
      assert.equal((await nodes[0].api.delete(`${SILOS}/lost-silo`)).status, 200);
      await broker.restart();
      for (const { api } of nodes) await eventually(async () => (await api.get('/readyz')).status, 200);
      assert.equal(await send(kept), 0);
      await eventually(async () => (await clientsAtBroker()).includes('lost-silo'), false);
      assert.notEqual(await send(removed), 0);
      assert.equal(await send(await register('unheard-silo', nodes[1], 'unheard')), 0);
    },
  );

  test('a broker that has lost its file is noticed; replaced credentials work again', options, async () => {
    const login = await register('forgotten-silo');
    await eventually(() => unknownDevices(nodes[0]), 0);
    // The nodes still compare their devices with the clients of this broker when the next one starts.
    await broker.end();
    await broker.restart();
    for (const { api } of nodes) await eventually(async () => (await api.get('/readyz')).status, 200);
    await broker.end();
    await writeFile(join(broker.folder, SECURITY_FILE), await firstConfiguration());
    await broker.restart();
    await eventually(async () => ((await unknownDevices(nodes[0])) ?? 0) > 20, true);
    const metrics = await (await fetch(`${nodes[0].httpUrl}/metrics`)).text();
    assert.match(metrics, /^granary_broker_unknown_devices [1-9]/m);
    assert.notEqual(await send(login), 0);
    const answer = await nodes[1].api.post(`${SILOS}/forgotten-silo/credentials`);
    assert.equal(await send(answer.body.data), 0);
  });
});

async function exitCodeOf(program: string, args: readonly string[]): Promise<number> {
  try {
    await run(program, args);
    return 0;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'number') throw error;
    return code;
  }
}
