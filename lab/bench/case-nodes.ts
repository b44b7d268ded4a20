import { setTimeout as sleep } from 'node:timers/promises';
import { leftOut, missingPeer } from './peers/installed.ts';
import { MOSQUITTO } from './peers/mosquitto.ts';
import { generatePaced } from './processes.ts';
import { type Finding, median, whole } from './report.ts';
import type { ServiceProcess } from './service-process.ts';
import { type Fleet, type Fleets, startFleets, type Use } from './several-fleets.ts';

/** The number of nodes of each fleet. The second keeps the machine as busy as the third, which alone has nodes that share a fleet. */
const ARRANGEMENTS = { alone: [1], separate: [1, 1, 1], together: [3] } as const;
const ROUNDS = 3;
/** For each node, little enough that three nodes share two cores with everything else. */
const DEVICES = 200;
const PER_SECOND = 500;
/** The messages of a fleet arrive together this often, ten for each node: what a message costs depends on how many share a commit. */
const TICK_MS = 20;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 10_000;
/** What the broker has acknowledged is stored within this time. */
const SETTLE_MS = 1_000;
const GROWTH_MAX = 1.1;
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
  const missing = await missingPeer(MOSQUITTO);
  if (missing !== null) return leftOut(NAME, TARGET, MOSQUITTO, missing);
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

/** One generator for each fleet; one of its nodes takes the messages. */
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
