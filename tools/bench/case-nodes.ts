import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../test-setup/postgres.ts';
import { type Credentials, countReadings, registerSilos } from './farm.ts';
import { leftOut, missingPeer } from './peers/installed.ts';
import { MOSQUITTO, startSharedMosquitto } from './peers/mosquitto.ts';
import { generatePaced } from './processes.ts';
import { processorMs } from './processor-use.ts';
import { type Finding, median, whole } from './report.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const NODES = [1, 2, 3] as const;
const ROUNDS = 3;
const DEVICES = 200;
/** Of all devices together for each node, little enough that three nodes share two cores with everything else. */
const PER_SECOND = 1_000;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 10_000;
/** What the broker has acknowledged is stored within this time. */
const SETTLE_MS = 1_000;
const GROWTH_MAX = 1.1;
const ADMIN_KEY = 'an-admin-key-for-the-measurement-of-several-nodes';
const NAME = 'Processor time of the nodes for a message, three nodes against one, each with the same load';
const TARGET = `at most ${GROWTH_MAX}`;

/** Microseconds of processor time for a message. */
interface Cost {
  readonly nodes: number;
  readonly broker: number;
  readonly database: number;
}

interface Cluster {
  readonly folder: string;
  readonly brokerPort: number;
  readonly brokerPid: number;
  readonly databaseUrl: string;
  readonly databasePid: number;
}

/** Measures what a message costs the nodes, the broker and the database, with one, two and three nodes. */
export async function measureNodes(dataDir: string): Promise<Finding> {
  const missing = await missingPeer(MOSQUITTO);
  if (missing !== null) return leftOut(NAME, TARGET, MOSQUITTO, missing);
  const database = await startPostgres();
  try {
    const broker = await startSharedMosquitto(join(dataDir, 'mosquitto'));
    try {
      return await compare({
        ...{ folder: dataDir, brokerPort: broker.port, brokerPid: broker.pid },
        ...{ databaseUrl: database.url, databasePid: database.pid() },
      });
    } finally {
      await broker.stop();
    }
  } finally {
    await database.stop();
  }
}

async function compare(cluster: Cluster): Promise<Finding> {
  let devices: Credentials[] | undefined;
  let acknowledged = 0;
  const costs = new Map<number, Cost[]>(NODES.map((count) => [count, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const count of NODES) {
      const nodes = await startNodes(cluster, count);
      try {
        const [first] = nodes;
        if (first === undefined) throw new Error('no node was started');
        devices ??= await registerSilos(first, DEVICES);
        const measured = await measure(cluster, nodes, devices);
        acknowledged += measured.acknowledged;
        costs.get(count)?.push(measured.cost);
        const counted = await countReadings(
          first,
          devices.map(({ username }) => username),
        );
        if (counted !== acknowledged)
          throw new Error(`${acknowledged} messages were acknowledged, ${counted} are stored`);
      } finally {
        for (const node of nodes) await node.stop();
      }
    }
  }
  const of = (count: number, part: keyof Cost): number =>
    median((costs.get(count) ?? []).map((cost) => cost[part]));
  const growth = of(3, 'nodes') / of(1, 'nodes');
  const lines = NODES.map(
    (count) =>
      `${count}: nodes ${whole(of(count, 'nodes'))}, broker ${whole(of(count, 'broker'))}, database ${whole(of(count, 'database'))} µs`,
  );
  return {
    ...{ name: NAME, target: TARGET, figure: growth.toFixed(2), met: growth <= GROWTH_MAX },
    detail: `${whole(PER_SECOND)} messages/s for each node from ${DEVICES} connections, on Mosquitto and PostgreSQL; ${lines.join('; ')}; medians of ${ROUNDS} rounds in turns; all ${whole(acknowledged)} acknowledged readings were counted in the history`,
  };
}

function startNodes(cluster: Cluster, count: number): Promise<ServiceProcess[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      startServiceProcess({
        GRANARY_DATA_DIR: join(cluster.folder, `node-${index}`),
        GRANARY_DATABASE_URL: cluster.databaseUrl,
        GRANARY_BROKER_URL: `mqtt://127.0.0.1:${cluster.brokerPort}`,
        GRANARY_ADMIN_KEY: ADMIN_KEY,
        GRANARY_RATE_LIMIT: 'off',
      }),
    ),
  );
}

async function measure(
  cluster: Cluster,
  nodes: readonly ServiceProcess[],
  devices: readonly Credentials[],
): Promise<{ readonly cost: Cost; readonly acknowledged: number }> {
  const load = {
    ...{ host: '127.0.0.1', port: cluster.brokerPort, devices, window: 20 },
    perSecond: PER_SECOND * nodes.length,
  };
  const warmUp = await generatePaced({ ...load, durationMs: WARM_UP_MS });
  await sleep(SETTLE_MS);
  const before = await used(cluster, nodes);
  const { acknowledged } = await generatePaced({ ...load, durationMs: MEASURED_MS });
  await sleep(SETTLE_MS);
  const after = await used(cluster, nodes);
  const perMessage = (part: keyof Cost): number => ((after[part] - before[part]) * 1_000) / acknowledged;
  return {
    cost: { nodes: perMessage('nodes'), broker: perMessage('broker'), database: perMessage('database') },
    acknowledged: warmUp.acknowledged + acknowledged,
  };
}

/** Milliseconds of processor time since the processes were started. */
async function used(cluster: Cluster, nodes: readonly ServiceProcess[]): Promise<Cost> {
  const ofNodes = await Promise.all(nodes.map(({ pid }) => processorMs(pid)));
  return {
    nodes: ofNodes.reduce((sum, ms) => sum + ms, 0),
    broker: await processorMs(cluster.brokerPid),
    database: await processorMs(cluster.databasePid),
  };
}
