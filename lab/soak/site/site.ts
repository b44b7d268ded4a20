import { MosquittoBroker } from '@granary/link/testing/mosquitto-broker';
import { StallingProxy } from '@granary/server/testing/stalling-proxy';
import { type Postgres, startPostgres } from '../../../tools/test-setup/postgres.ts';
import { SoakNode } from './soak-node.ts';
import { Volume } from './volume.ts';

export const NODES = 3;

/** Everything that runs on a site, as real processes. */
export interface Site {
  readonly postgres: Postgres;
  /** The file system of the database; `null` when it has none of its own. */
  readonly volume: Volume | null;
  readonly broker: MosquittoBroker;
  readonly nodes: readonly SoakNode[];
  /** Between the last node and the database. */
  readonly proxy: StallingProxy;
  readonly proxiedNode: SoakNode;
  stop(): Promise<void>;
}

export interface SiteOptions {
  /** For the database. */
  readonly ownFileSystem: boolean;
  /** Gets the logs of the nodes, if any. */
  readonly logFolder: string | null;
}

export async function startSite(options: SiteOptions): Promise<Site> {
  const undos: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const undo of undos.splice(0).reverse()) {
      await undo().catch((error: unknown) => console.error(error));
    }
  };
  try {
    const volume = options.ownFileSystem ? await Volume.create() : null;
    undos.push(async () => volume?.remove());
    const postgres = await startPostgres({ parent: volume?.path });
    undos.push(() => postgres.stop());
    const broker = await MosquittoBroker.start();
    undos.push(() => broker.remove());
    const proxy = new StallingProxy(postgres.url);
    undos.push(async () => proxy.stop());
    const throughProxy = await proxy.start(postgres.url);
    const nodes: SoakNode[] = [];
    for (let number = 1; number <= NODES; number++) {
      const env = {
        GRANARY_DATABASE_URL: number === NODES ? throughProxy : postgres.url,
        GRANARY_BROKER_URL: broker.url,
      };
      const node = await SoakNode.create(number, env, options.logFolder);
      undos.push(() => node.remove());
      await node.start();
      nodes.push(node);
    }
    const proxiedNode = nodes.at(-1);
    if (proxiedNode === undefined) throw new Error('there is no node');
    return { postgres, volume, broker, nodes, proxy, proxiedNode, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
