/** How much of a bare broker's speed remains once messages are checked and acknowledged only in batches. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { Aedes } from 'aedes';
import { EmbeddedBroker } from '../src/broker.ts';
import type { LinkHandler } from '../src/port.ts';

const ROUNDS = 5;
const COMMIT_INTERVAL_MS = 10;
const generator = new URL('generator.ts', import.meta.url).pathname;

interface Round {
  readonly messagesPerSecond: number;
  /** Of this process alone, so it holds on a busy machine too. */
  readonly cpuMicrosecondsPerMessage: number;
}

async function generate(port: number): Promise<Round> {
  const before = process.cpuUsage();
  const args = [generator, '--port', `${port}`, ...process.argv.slice(2)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { user, system } = process.cpuUsage(before);
  const { messagesPerSecond, messages } = JSON.parse(stdout);
  return { messagesPerSecond, cpuMicrosecondsPerMessage: (user + system) / messages };
}

async function bareBroker(): Promise<Round> {
  const aedes = await Aedes.createBroker();
  const server = createServer(aedes.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const round = await generate(port);
  await new Promise<void>((resolve) => aedes.close(() => server.close(() => resolve())));
  return round;
}

async function deviceLink(): Promise<Round> {
  let commit = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    commit.resolve();
    commit = Promise.withResolvers();
  }, COMMIT_INTERVAL_MS);
  const handler: LinkHandler = {
    authenticate: async (deviceId) => ({ deviceNo: 1, deviceId, kind: 'silo' }),
    received: () => commit.promise,
    rejected: () => Promise.reject(new Error('the generator sends nothing bad')),
    connected: () => undefined,
    disconnected: () => undefined,
  };
  const broker = new EmbeddedBroker({ host: '127.0.0.1', port: 0 }, handler);
  const round = await generate((await broker.start()).port);
  await broker.stop();
  clearInterval(timer);
  return round;
}

const middle = (rounds: readonly Round[], figure: keyof Round): number =>
  rounds.map((round) => round[figure]).toSorted((a, b) => a - b)[rounds.length >> 1] ?? Number.NaN;

const bare: Round[] = [];
const link: Round[] = [];
for (let round = 0; round < ROUNDS; round++) {
  bare.push(await bareBroker());
  link.push(await deviceLink());
}
for (const figure of ['messagesPerSecond', 'cpuMicrosecondsPerMessage'] as const) {
  const [ofBare, ofLink] = [middle(bare, figure), middle(link, figure)];
  console.log(
    `${figure}: bare broker ${ofBare.toFixed(1)}, device link ${ofLink.toFixed(1)}, ratio ${(ofLink / ofBare).toFixed(2)}`,
  );
}
