import { join } from 'node:path';
import { startPostgres } from '../../tools/test-setup/postgres.ts';
import { type Credentials, countReadings, registerSilos } from './farm.ts';
import { newDatabase } from './new-database.ts';
import { startSharedMosquitto } from './peers/mosquitto.ts';
import { processorMs } from './processor-use.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const ADMIN_KEY = 'an-admin-key-for-the-measurement-of-several-nodes';

/** Milliseconds of processor time. */
export interface Use {
  readonly nodes: number;
  readonly broker: number;
  readonly database: number;
}

/** Devices with a broker and a database of their own, without the nodes that serve them. */
export interface Fleet {
  readonly brokerPort: number;
  readonly devices: readonly Credentials[];
  startNodes(count: number): Promise<ServiceProcess[]>;
  /** Asked through this node. */
  countStored(node: ServiceProcess): Promise<number>;
}

export interface Fleets {
  readonly all: readonly Fleet[];
  /** Since the start, of these nodes and of the brokers and databases of all fleets. */
  used(nodes: readonly ServiceProcess[]): Promise<Use>;
  stop(): Promise<void>;
}

/** One for each number of devices; their databases are on one server. */
export async function startFleets(folder: string, sizes: readonly number[]): Promise<Fleets> {
  const server = await startPostgres();
  const brokers: Awaited<ReturnType<typeof startSharedMosquitto>>[] = [];
  const stop = async (): Promise<void> => {
    for (const broker of brokers) await broker.stop();
    await server.stop();
  };
  try {
    const all: Fleet[] = [];
    for (const [index, size] of sizes.entries()) {
      const own = join(folder, `fleet-${index}`);
      const broker = await startSharedMosquitto(join(own, 'broker'));
      brokers.push(broker);
      all.push(await fleetOf(own, broker.port, await newDatabase(server.url, `fleet_${index}`), size));
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
