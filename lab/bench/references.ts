import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@granary/testing/free-port';
import { Aedes } from 'aedes';
import { fastify } from 'fastify';
import { atExit } from '../../tools/at-exit.ts';
import { endProcess } from './generator.ts';
import { startSubscriber } from './sqlite-subscriber.ts';

const HOST = '127.0.0.1';
const LISTEN_RETRY_MS = 20;
const LISTEN_MS_MAX = 30_000;
export const INFLUXDB_DATABASE = 'bench';

/** A program that the service is compared with, in a process of its own. */
export interface Reference {
  readonly port: number;
  /** Resolves when this many more messages are stored; missing if only acknowledgements are measured. */
  untilStored?(more: number): Promise<void>;
  stop(): Promise<void>;
}

interface BareAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Bare =
  | { readonly kind: 'broker' }
  | { readonly kind: 'http'; readonly answer: BareAnswer }
  | { readonly kind: 'fastify'; readonly answer: BareAnswer; readonly path: string };

/** The broker of the service alone, which acknowledges messages and discards them. */
export const startBareBroker = (): Promise<Reference> => startBare({ kind: 'broker' });

/** Node's own HTTP server, which always sends the same headers and bytes. */
export const startBareHttp = (answer: BareAnswer): Promise<Reference> => startBare({ kind: 'http', answer });

/** One route of Fastify, which always sends the same headers and bytes. */
export const startBareFastify = (answer: BareAnswer, path: string): Promise<Reference> =>
  startBare({ kind: 'fastify', answer, path });

async function startBare(bare: Bare): Promise<Reference> {
  const child = fork(import.meta.filename);
  const listening = once(child, 'message', { signal: AbortSignal.timeout(LISTEN_MS_MAX) });
  child.send(bare);
  const [port] = (await listening) as [number];
  return { port, stop: () => endProcess(child) };
}

if (import.meta.main) {
  process.once('message', async (bare: Bare) => {
    const server = await bareServer(bare);
    server.listen(0, HOST, () => process.send?.((server.address() as AddressInfo).port));
  });
  // The parent process has ended.
  process.once('disconnect', () => process.exit());
}

async function bareServer(bare: Bare): Promise<Server> {
  if (bare.kind === 'broker') return await bareBroker();
  return bare.kind === 'http' ? bareHttp(bare.answer) : await bareFastify(bare.answer, bare.path);
}

const bareBroker = async (): Promise<Server> =>
  createServer((await Aedes.createBroker({ maxClientsIdLength: 64 })).handle);

const bareHttp = ({ headers, body }: BareAnswer): Server =>
  createHttpServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });

async function bareFastify({ headers, body }: BareAnswer, path: string): Promise<Server> {
  const app = fastify();
  app.get(path, (_request, reply) => reply.headers(headers).send(body));
  await app.ready();
  return app.server;
}

/** Mosquitto alone: without a subscriber it acknowledges messages and stores nothing. */
export const startMosquitto = (folder: string): Promise<Reference> => startBroker(folder, []);

/** Mosquitto with persistence and a subscriber with a persistent session, which receives every message. */
export async function startPersistentMosquitto(folder: string): Promise<Reference> {
  const broker = await startBroker(folder, ['persistence true', `persistence_location ${folder}/`]);
  const login = ['-h', HOST, '-p', String(broker.port), '-i', 'subscriber', '-c'];
  const subscriber = spawnProgram('mosquitto_sub', [...login, '-q', '1', '-t', '#']);
  const stop = async (): Promise<void> => {
    await endProcess(subscriber);
    await broker.stop();
  };
  return { port: broker.port, stop };
}

/** Mosquitto with a subscriber that writes the readings to SQLite; no message is dropped while they wait for it. */
export async function startMosquittoWithSqlite(folder: string): Promise<Reference> {
  const broker = await startBroker(folder, ['max_queued_messages 0', 'max_inflight_messages 1000']);
  const subscriber = await startSubscriber({ port: broker.port, file: join(folder, 'readings.db') });
  const stop = async (): Promise<void> => {
    await subscriber.stop();
    await broker.stop();
  };
  return { port: broker.port, untilStored: subscriber.untilStored, stop };
}

async function startBroker(folder: string, settings: readonly string[]): Promise<Reference> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const file = join(folder, 'mosquitto.conf');
  // Without this line a broker that root starts switches to another user, who cannot write into the folder.
  const user = process.getuid?.() === 0 ? ['user root'] : [];
  const lines = [`listener ${port} ${HOST}`, 'allow_anonymous true', 'log_type none', ...user, ...settings];
  await writeFile(file, `${lines.join('\n')}\n`);
  return await listening(spawnProgram('mosquitto', ['-c', file]), port);
}

/** InfluxDB with its default configuration, which synchronises its log after every write, but without a log line for each request. */
export async function startInfluxDb(folder: string): Promise<Reference> {
  const port = await freePort();
  const server = spawnProgram('influxd', ['run'], {
    INFLUXDB_REPORTING_DISABLED: 'true',
    INFLUXDB_BIND_ADDRESS: `${HOST}:${await freePort()}`,
    INFLUXDB_HTTP_BIND_ADDRESS: `${HOST}:${port}`,
    INFLUXDB_HTTP_LOG_ENABLED: 'false',
    INFLUXDB_META_DIR: join(folder, 'meta'),
    INFLUXDB_DATA_DIR: join(folder, 'data'),
    INFLUXDB_DATA_WAL_DIR: join(folder, 'wal'),
  });
  const reference = await listening(server, port);
  const query = encodeURIComponent(`CREATE DATABASE ${INFLUXDB_DATABASE}`);
  const created = await fetch(`http://${HOST}:${port}/query?q=${query}`, { method: 'POST' });
  if (!created.ok) throw new Error(`InfluxDB answered ${created.status}: ${await created.text()}`);
  return reference;
}

/** The output is discarded; an interrupted measurement does not leave the program behind. */
function spawnProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  const forget = atExit(() => child.kill('SIGKILL'));
  child.once('exit', forget);
  return child;
}

/** Resolves when the program accepts connections. */
async function listening(child: ChildProcess, port: number): Promise<Reference> {
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    await sleep(LISTEN_RETRY_MS);
  }
  return { port, stop: () => endProcess(child) };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
