import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { atExit } from '../../tools/at-exit.ts';
import { startPostgres } from '../../tools/test-setup/postgres.ts';
import { childrenOf } from '../../tools/test-setup/process-tree.ts';
import { ensureProgram, MOSQUITTO } from '../outside-programs.ts';
import { type Credentials, countReadings, registerSilos } from './farm.ts';
import { generatePaced } from './generator.ts';
import { type Finding, median, whole } from './report.ts';
import { newDatabase, type ServiceProcess, startServiceProcess } from './service-process.ts';

/**
 * The number of nodes of each fleet. The second arrangement keeps the machine as busy as the third one, and only in the
 * third do nodes share a fleet.
 */
const ARRANGEMENTS = { alone: [1], separate: [1, 1, 1], together: [3] } as const;
const ROUNDS = 3;
/** The devices of each node, so few that three nodes share two cores with everything else. */
const DEVICES = 200;
const PER_SECOND = 500;
/**
 * The messages of a fleet arrive together at this interval, ten for each node, because the cost of a message depends on how
 * many share a commit.
 */
const TICK_MS = 20;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 10_000;
/** Messages that the broker has acknowledged are stored within this time. */
const SETTLE_MS = 1_000;
const GROWTH_MAX = 1.1;
const ADMIN_KEY = 'an-admin-key-for-the-measurement-of-several-nodes';
/** The length of a clock tick in /proc on Linux. */
const PROCESSOR_TICK_MS = 10;
const NAME =
  'Processor time of a node for a message, three nodes of one fleet against three with a fleet each';
const TARGET = `at most ${GROWTH_MAX}`;

type Arrangement = keyof typeof ARRANGEMENTS;

/** A node with the fleet that it serves. */
interface Served {
  readonly fleet: Fleet;
  readonly nodes: readonly ServiceProcess[];
}

/** Measures what a message costs the nodes, the brokers and the database, each node with the same load. */
export async function measureNodes(dataDir: string): Promise<Finding> {
  await ensureProgram(MOSQUITTO);
  const fleets = await startFleets(dataDir, [3 * DEVICES, DEVICES, DEVICES]);
  try {
    return await compare(fleets);
  } finally {
    await fleets.stop();
  }
}

async function compare(fleets: Fleets): Promise<Finding> {
  const costs: Record<Arrangement, Use[]> = { alone: [], separate: [], together: [] };
  const acknowledged = new Map<Fleet, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const arrangement of Object.keys(ARRANGEMENTS) as Arrangement[]) {
      const served: Served[] = [];
      try {
        for (const [index, count] of ARRANGEMENTS[arrangement].entries()) {
          const fleet = fleets.all[index];
          if (fleet !== undefined) served.push({ fleet, nodes: await fleet.startNodes(count) });
        }
        costs[arrangement].push(await measure(fleets, served, acknowledged));
        for (const { fleet, nodes } of served) await checkStored(fleet, nodes, acknowledged.get(fleet) ?? 0);
      } finally {
        for (const { nodes } of served) for (const node of nodes) await node.stop();
      }
    }
  }
  return findingOf(costs, [...acknowledged.values()]);
}

/** Microseconds of processor time for a message. */
async function measure(
  fleets: Fleets,
  served: readonly Served[],
  acknowledged: Map<Fleet, number>,
): Promise<Use> {
  const nodes = served.flatMap((one) => one.nodes);
  const loadAll = async (durationMs: number): Promise<number> => {
    const counts = await Promise.all(served.map((one) => load(one, durationMs)));
    for (const [index, { fleet }] of served.entries())
      acknowledged.set(fleet, (acknowledged.get(fleet) ?? 0) + (counts[index] ?? 0));
    await sleep(SETTLE_MS);
    return counts.reduce((sum, count) => sum + count, 0);
  };
  await loadAll(WARM_UP_MS);
  const before = await fleets.used(nodes);
  const messages = await loadAll(MEASURED_MS);
  const after = await fleets.used(nodes);
  const perMessage = (part: keyof Use): number => ((after[part] - before[part]) * 1_000) / messages;
  return { nodes: perMessage('nodes'), broker: perMessage('broker'), database: perMessage('database') };
}

/** Starts one generator for each fleet; one node of the fleet receives the messages. */
async function load({ fleet, nodes }: Served, durationMs: number): Promise<number> {
  const options = { host: '127.0.0.1', port: fleet.brokerPort, window: 20, tickMs: TICK_MS, durationMs };
  const devices = fleet.devices.slice(0, nodes.length * DEVICES);
  const { acknowledged } = await generatePaced({ ...options, devices, perSecond: nodes.length * PER_SECOND });
  return acknowledged;
}

async function checkStored(fleet: Fleet, [node]: readonly ServiceProcess[], expected: number): Promise<void> {
  const stored = node === undefined ? 0 : await fleet.countStored(node);
  if (stored !== expected) throw new Error(`${expected} messages were acknowledged, ${stored} are stored`);
}

function findingOf(costs: Record<Arrangement, readonly Use[]>, acknowledged: readonly number[]): Finding {
  const of = (arrangement: Arrangement, part: keyof Use): number =>
    median(costs[arrangement].map((use) => use[part]));
  const described = (arrangement: Arrangement): string =>
    `${whole(of(arrangement, 'nodes'))}, ${whole(of(arrangement, 'broker'))}, ${whole(of(arrangement, 'database'))} µs`;
  const growth = of('together', 'nodes') / of('separate', 'nodes');
  const total = acknowledged.reduce((sum, count) => sum + count, 0);
  return {
    name: NAME,
    target: TARGET,
    figure: growth.toFixed(2),
    met: growth <= GROWTH_MAX,
    detail: `node, broker, database: one node alone on the machine ${described('alone')}; three with a fleet each ${described('separate')}; three of one fleet ${described('together')}; ${whole(PER_SECOND)} messages/s for each node from ${DEVICES} connections, ten at a time, on Mosquitto and PostgreSQL; medians of ${ROUNDS} rounds in turns; all ${whole(total)} acknowledged readings were counted in the history`,
  };
}

/** Milliseconds of processor time by kind of process. */
interface Use {
  readonly nodes: number;
  readonly broker: number;
  readonly database: number;
}

/** Devices with a broker and a database of their own, without the nodes that serve them. */
interface Fleet {
  readonly brokerPort: number;
  readonly devices: readonly Credentials[];
  startNodes(count: number): Promise<ServiceProcess[]>;
  /** Counts the stored readings through this node. */
  countStored(node: ServiceProcess): Promise<number>;
}

interface Fleets {
  readonly all: readonly Fleet[];
  /** The processor time since the start, of these nodes and of the brokers and databases of all fleets. */
  used(nodes: readonly ServiceProcess[]): Promise<Use>;
  stop(): Promise<void>;
}

/** Starts one fleet for each number of devices; their databases are on one server. */
async function startFleets(folder: string, sizes: readonly number[]): Promise<Fleets> {
  const server = await startPostgres();
  const brokers: MosquittoBroker[] = [];
  const stop = async (): Promise<void> => {
    for (const broker of brokers) await broker.remove();
    await server.stop();
  };
  try {
    const all: Fleet[] = [];
    for (const [index, size] of sizes.entries()) {
      const own = join(folder, `fleet-${index}`);
      const broker = await MosquittoBroker.start();
      // A measurement that is interrupted leaves no broker behind.
      atExit(() => void broker.end());
      brokers.push(broker);
      all.push(await fleetOf(own, broker.access.port, await newDatabase(server.url, `fleet_${index}`), size));
    }
    return {
      all,
      used: async (nodes) => ({
        nodes: await sumOf(nodes.map(({ pid }) => pid)),
        broker: await sumOf(brokers.map(({ pid }) => pid)),
        database: await processorMs(server.pid()),
      }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fleetOf(
  folder: string,
  brokerPort: number,
  databaseUrl: string,
  size: number,
): Promise<Fleet> {
  const startNodes = (count: number): Promise<ServiceProcess[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        startServiceProcess({
          GRANARY_DATA_DIR: join(folder, `node-${index}`),
          GRANARY_DATABASE_URL: databaseUrl,
          GRANARY_BROKER_URL: `mqtt://127.0.0.1:${brokerPort}`,
          GRANARY_ADMIN_KEY: ADMIN_KEY,
          GRANARY_RATE_LIMIT: 'off',
        }),
      ),
    );
  const [node] = await startNodes(1);
  if (node === undefined) throw new Error('no node was started');
  const devices = await registerSilos(node, size);
  await node.stop();
  const ids = devices.map(({ username }) => username);
  return { brokerPort, devices, startNodes, countStored: (asked) => countReadings(asked, ids) };
}

async function sumOf(pids: readonly number[]): Promise<number> {
  const parts = await Promise.all(pids.map(processorMs));
  return parts.reduce((sum, ms) => sum + ms, 0);
}

/** The processor time of a process, with all its threads and the children that it has and had. */
async function processorMs(pid: number): Promise<number> {
  const children = await childrenOf(pid);
  const parts = await Promise.all([pid, ...children].map(ownMs));
  return parts.reduce((sum, ms) => sum + ms, 0);
}

async function ownMs(pid: number): Promise<number> {
  // A child may have ended since it was listed; its time is then included in that of its parent.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return 0;
  // The name of the program, in brackets, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
  return PROCESSOR_TICK_MS * ((user ?? 0) + (system ?? 0) + (childrenUser ?? 0) + (childrenSystem ?? 0));
}
