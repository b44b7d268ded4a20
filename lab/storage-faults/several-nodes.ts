import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { topicOf } from '@granary/contract/link/messages';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { eventually } from '@granary/testing/server/eventually';
import type { DeviceLink } from '@granary/testing/server/links/device-links';
import { type Api, apiOf } from '@granary/testing/server/service';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';
import { type Postgres, startPostgres } from '../../tools/test-setup/postgres.ts';

const ADMIN_KEY = 'an-admin-key-for-nodes-whose-storage-fails';

type Env = Readonly<Record<string, string>>;

export interface RigNode {
  readonly api: Api;
  readonly process: ServiceProcess;
}

/** Several nodes with a PostgreSQL and a Mosquitto of their own, each of which a test can freeze, end and start again. */
export class NodesRig {
  readonly postgres: Postgres;
  readonly broker: MosquittoBroker;
  readonly nodes: RigNode[] = [];
  readonly #folders: string[] = [];

  private constructor(postgres: Postgres, broker: MosquittoBroker) {
    this.postgres = postgres;
    this.broker = broker;
  }

  static async start(count: number, env: Env = {}): Promise<NodesRig> {
    const rig = new NodesRig(await startPostgres(), await MosquittoBroker.start());
    try {
      for (let number = 0; number < count; number++) await rig.startNode(env);
      return rig;
    } catch (error) {
      await rig.stop();
      throw error;
    }
  }

  async startNode(env: Env = {}): Promise<RigNode> {
    const dataDir = await mkdtemp(join(tmpdir(), 'granary-node-'));
    this.#folders.push(dataDir);
    const started = await startServiceProcess({
      GRANARY_RATE_LIMIT: 'off',
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_LINK_THREADS: '0',
      GRANARY_DATA_DIR: dataDir,
      GRANARY_DATABASE_URL: this.postgres.url,
      GRANARY_BROKER_URL: this.broker.url,
      GRANARY_ADMIN_KEY: ADMIN_KEY,
      ...env,
    });
    const api = apiOf(
      () => started,
      () => ADMIN_KEY,
      undefined,
      () => PLAIN_BROKER,
    );
    const node = { api, process: started };
    this.nodes.push(node);
    return node;
  }

  /** The node with this number. */
  node(number: number): RigNode {
    const node = this.nodes[number];
    if (node === undefined) throw new Error(`there is no node ${number}`);
    return node;
  }

  async killNode(number: number): Promise<void> {
    await this.node(number).process.kill();
    this.nodes.splice(number, 1);
  }

  /** Freezes the database during `work`, and always lets it continue afterwards. */
  async whileFrozen(work: () => Promise<void>): Promise<void> {
    await this.postgres.freeze();
    try {
      await work();
    } finally {
      await this.postgres.thaw();
    }
  }

  /** Resolves when every node knows this many connected devices; no request about these devices is made. */
  async untilConnected(count: number): Promise<void> {
    for (const { process } of this.nodes) {
      const connectedCount = async () => {
        const text = await (await fetch(`${process.httpUrl}/metrics`)).text();
        return Number(/^granary_link_connected_devices (\d+)$/m.exec(text)?.[1]);
      };
      await eventually(connectedCount, count);
    }
  }

  async stop(): Promise<void> {
    for (const { process } of this.nodes) await process.kill();
    await this.broker.remove();
    await this.postgres.stop();
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }
}

/** A broker that accepts every login; the device itself reports that it is connected. */
const PLAIN_BROKER: DeviceLink = {
  name: 'Mosquitto',
  session(deviceId) {
    const session = randomBytes(4).toString('hex');
    const status = topicOf(deviceId, 'status');
    const will = Buffer.from(JSON.stringify({ state: 'offline', session }));
    return {
      options: { will: { topic: status, payload: will, qos: 1, retain: true } },
      begin: async (client) => {
        await client.publishAsync(status, JSON.stringify({ state: 'online', session }), {
          qos: 1,
          retain: true,
        });
      },
      publish: async (client, subject, payload) => {
        const isStatus = subject === 'status';
        const text = isStatus ? JSON.stringify({ ...JSON.parse(payload), session }) : payload;
        await client.publishAsync(topicOf(deviceId, subject), text, { qos: 1, retain: isStatus });
      },
    };
  },
};
