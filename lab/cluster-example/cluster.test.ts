import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type SiloCommand, topicOf, type UpSubject } from '@granary/contract/link/messages';
import { freePort } from '@granary/testing/free-port';
import { hasProgram, mayTestWith } from '@granary/testing/link/outside-clients';
import { eventually } from '@granary/testing/server/eventually';
import { siloNamed } from '@granary/testing/server/service';
import { connectAsync, type MqttClient } from 'mqtt';
import { hasPostgresServer } from '../../tools/test-setup/outside-programs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(ROOT, 'examples/cluster/start');
const READY = 'Three nodes are ready';
const SILO = '/v1/siloscale/devices/field-silo';

type Json = ReturnType<typeof JSON.parse>;

/** The example as its script starts it, in its own folder and on its own ports. */
class Cluster {
  readonly #folder: string;
  readonly #ports: readonly number[];
  readonly #script: ChildProcess;
  output = '';

  private constructor(folder: string, ports: readonly number[]) {
    const [https, mqtts, postgres, ...nodes] = ports.map(String);
    this.#folder = folder;
    this.#ports = ports;
    this.#script = spawn(SCRIPT, ['--data', folder], {
      env: {
        ...process.env,
        CLUSTER_HTTPS_PORT: https,
        CLUSTER_MQTTS_PORT: mqtts,
        CLUSTER_POSTGRES_PORT: postgres,
        CLUSTER_NODE_PORTS: nodes.join(' '),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#script.stdout, this.#script.stderr]) {
      stream?.on('data', (text) => {
        this.output += text;
      });
    }
  }

  static async start(): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'granary-cluster-'));
    const ports: number[] = [];
    while (ports.length < 6) ports.push(await freePort());
    const cluster = new Cluster(folder, ports);
    after(() => cluster.#remove());
    await eventually(async () => cluster.#hasEnded || cluster.output.includes(READY), true);
    assert.ok(!cluster.#hasEnded, cluster.output);
    return cluster;
  }

  get #hasEnded(): boolean {
    return this.#script.exitCode !== null || this.#script.signalCode !== null;
  }

  get nodeUrls(): string[] {
    return this.#ports.slice(3).map((port) => `http://127.0.0.1:${port}`);
  }

  get mqttsUrl(): string {
    return `mqtts://localhost:${this.#ports[1]}`;
  }

  /** Returns one of the commands that the script has printed, in a form that can be pasted. */
  printed(part: string): string {
    const line = this.output.split('\n').find((one) => one.startsWith('  ') && one.includes(part));
    return line?.trim() ?? assert.fail(`no ${part} in ${this.output}`);
  }

  read = (name: string): Promise<string> => readFile(join(this.#folder, name), 'utf8');

  /** Calls the API through nginx, and checks its certificate. */
  async call(method: string, path: string, body?: object): Promise<Json> {
    const sent = request({
      method,
      path,
      host: 'localhost',
      port: this.#ports[0],
      ca: await this.read('ca.pem'),
      headers: {
        authorization: `Bearer ${(await this.read('secrets/admin-key')).trim()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    assert.equal(response.statusCode, 200, text);
    return JSON.parse(text).data;
  }

  async killNode(number: number): Promise<void> {
    process.kill(Number(await this.read(`node-${number}.pid`)), 'SIGKILL');
  }

  async stop(): Promise<void> {
    const { stdout } = await promisify(execFile)(SCRIPT, ['--data', this.#folder, '--stop']);
    assert.match(stdout, /stopped/);
    assert.deepEqual(await Promise.all(this.#ports.map(isOpen)), Array(6).fill(false));
    assert.equal(this.#script.exitCode, 0, this.output);
  }

  async #remove(): Promise<void> {
    if (!this.#hasEnded) {
      const ended = once(this.#script, 'exit');
      this.#script.kill('SIGTERM');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** A silo on Mosquitto that begins every operation that it is told to begin, and stops when it is told to stop. */
async function connectSilo(cluster: Cluster, secret: string): Promise<MqttClient> {
  const deviceId = 'field-silo';
  const client = await connectAsync(cluster.mqttsUrl, {
    clientId: deviceId,
    username: deviceId,
    password: secret,
    reconnectPeriod: 0,
    ca: await cluster.read('ca.pem'),
  });
  const say = (subject: UpSubject, message: object): void => {
    const retain = subject === 'status';
    client.publish(topicOf(deviceId, subject), JSON.stringify(message), { qos: 1, retain });
  };
  client.on('message', (_topic, payload) => {
    const { command, operation_id }: SiloCommand = JSON.parse(payload.toString());
    if (command === 'start') say('ack', { operation_id, accepted: true });
    const state = command === 'stop' ? 'stopped' : 'running';
    say('progress', { operation_id, state, amount_kg: 1, ts: Date.now() });
  });
  await client.subscribeAsync(topicOf(deviceId, 'command'), { qos: 1 });
  say('status', { state: 'online', session: 'first' });
  say('telemetry', { ts: Date.now(), weight: 500 });
  return client;
}

test('examples/cluster: a device is seen through every node, and stopped through the proxy when one was killed', async (t) => {
  for (const [name, isThere] of [
    ['nginx', hasProgram('nginx')],
    ['mosquitto', hasProgram('mosquitto')],
    ['postgresql', hasPostgresServer()],
  ] as const) {
    if (!mayTestWith(t, name, isThere)) return;
  }
  assert.ok(existsSync(SCRIPT));
  const cluster = await Cluster.start();
  const bash = promisify(execFile);
  const pasted = async (part: string): Promise<string> =>
    (await bash('bash', ['-c', cluster.printed(part)], { cwd: ROOT })).stdout;
  assert.equal(JSON.parse(await pasted('curl')).success, true);
  assert.match(await pasted('granary.mjs console'), /^https:\/\/localhost:\d+\/\S+/m);

  const { credentials } = await cluster.call('POST', '/v1/siloscale/devices', siloNamed('field-silo'));
  await assert.rejects(connectSilo(cluster, 'another-secret'));
  const silo = await connectSilo(cluster, credentials.secret);
  t.after(() => silo.endAsync(true));
  const authorization = `Bearer ${(await cluster.read('secrets/admin-key')).trim()}`;
  for (const url of cluster.nodeUrls) {
    const levelThere = async (): Promise<number> => {
      const response = await fetch(`${url}${SILO}/sensors`, { headers: { authorization } });
      return ((await response.json()) as Json).data.level.current;
    };
    await eventually(levelThere, 50);
  }

  await eventually(async () => (await cluster.call('GET', `${SILO}/link`)).subscribed, true);
  const discharge = { amount: 100, rate: 10, target_container: 'truck 7' };
  const { operation_id } = await cluster.call('POST', `${SILO}/operations/discharge`, discharge);
  const operation = `${SILO}/operations/${operation_id}`;
  const status = async (): Promise<string> => (await cluster.call('GET', operation)).status;
  await eventually(status, 'in_progress');
  await cluster.killNode(1);
  await cluster.call('POST', `${operation}/stop`);
  // A read is answered whichever node nginx asks first.
  for (let read = 0; read < 6; read++) await cluster.call('GET', SILO);
  await eventually(status, 'stopped');
  const [killed] = cluster.nodeUrls;
  const isBack = async (): Promise<boolean> =>
    (await fetch(`${killed}/readyz`).catch(() => null))?.status === 200;
  await eventually(isBack, true);
  await cluster.stop();
});
