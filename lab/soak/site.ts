import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { freePort } from '@granary/testing/free-port';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { StallingProxy } from '@granary/testing/server/stalling-proxy';
import { type Postgres, startPostgres } from '../../tools/test-setup/postgres.ts';
import { type ServiceProcess, startServiceProcess } from '../bench/service-process.ts';

export const ADMIN_KEY = 'an-admin-key-for-the-soak-run-and-nothing-else';
/** The file is sparse, so that only the used part takes room on the disk. */
const SIZE = '3G';
const FILLING = 'filling';
export const NODES = 3;

type Env = Readonly<Record<string, string>>;

/** One node of the service, which is killed and started again on the same port with the same data folder. */
export class SoakNode {
  readonly number: number;
  readonly port: number;
  readonly #dataDir: string;
  readonly #env: Env;
  readonly #log: Writable | undefined;
  #process: ServiceProcess | null = null;
  #changedMs = 0;

  private constructor(number: number, port: number, dataDir: string, env: Env, logFolder: string | null) {
    this.number = number;
    this.port = port;
    this.#dataDir = dataDir;
    this.#env = env;
    if (logFolder !== null) this.#log = createWriteStream(join(logFolder, `node-${number}.log`));
  }

  static async create(number: number, env: Env, logFolder: string | null): Promise<SoakNode> {
    const dataDir = await mkdtemp(join(tmpdir(), 'granary-soak-'));
    return new SoakNode(number, await freePort(), dataDir, env, logFolder);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Whether the node was stopped, killed or started at or after the time, or is not running now. */
  wasAwaySince(timeMs: number): boolean {
    return this.#process === null || this.#changedMs >= timeMs;
  }

  get process(): ServiceProcess {
    if (this.#process === null) throw new Error(`node ${this.number} is not running`);
    return this.#process;
  }

  /** `more` are settings for this start only. */
  async start(more: Env = {}): Promise<void> {
    const env = {
      GRANARY_DATA_DIR: this.#dataDir,
      GRANARY_HTTP_PORT: String(this.port),
      GRANARY_ADMIN_KEY: ADMIN_KEY,
      GRANARY_RATE_LIMIT: 'off',
      GRANARY_LOG_LEVEL: this.#log === undefined ? 'silent' : 'info',
      ...this.#env,
      ...more,
    };
    const started = await startServiceProcess(env, this.#log);
    this.#process = started;
    this.#changedMs = Date.now();
  }

  async kill(): Promise<void> {
    await this.#end((running) => running.kill());
  }

  async stop(): Promise<void> {
    await this.#end((running) => running.stop());
  }

  async remove(): Promise<void> {
    await this.kill();
    this.#log?.end();
    await rm(this.#dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  async #end(end: (running: ServiceProcess) => Promise<void>): Promise<void> {
    const running = this.#process;
    this.#process = null;
    this.#changedMs = Date.now();
    if (running !== null) await end(running);
    this.#changedMs = Date.now();
  }
}

const run = promisify(execFile);

/** A small file system of its own, which can be filled without harm for the rest of the machine. Only root can mount it. */
class Volume {
  readonly path: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'mounted');
  }

  static async create(): Promise<Volume> {
    const volume = new Volume(await mkdtemp(join(tmpdir(), 'granary-volume-')));
    try {
      const image = join(volume.#folder, 'image');
      await chmod(volume.#folder, 0o755);
      await mkdir(volume.path);
      await run('truncate', ['-s', SIZE, image]);
      // No blocks are reserved for root, so that a full file system is full for everybody.
      await run('mkfs.ext4', ['-q', '-m', '0', image]);
      await run('mount', ['-o', 'loop', image, volume.path]);
      await chmod(volume.path, 0o755);
      return volume;
    } catch (error) {
      await rm(volume.#folder, { recursive: true, force: true });
      throw error;
    }
  }

  async fill(): Promise<void> {
    const { bavail, bsize } = await statfs(this.path);
    await run('fallocate', ['-l', String(bavail * bsize), join(this.path, FILLING)]).catch(() => undefined);
    // Space that fallocate could not allocate as a whole is filled in small pieces, until nothing is left.
    await run('dd', ['if=/dev/zero', `of=${join(this.path, `${FILLING}-rest`)}`, 'bs=4096']).catch(
      () => undefined,
    );
  }

  async freeAgain(): Promise<void> {
    for (const name of [FILLING, `${FILLING}-rest`]) await rm(join(this.path, name), { force: true });
  }

  async remove(): Promise<void> {
    await run('umount', [this.path]);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** All real processes of a site. */
export interface Site {
  readonly postgres: Postgres;
  /** The file system of the database; `null` if the database has none of its own. */
  readonly volume: Volume | null;
  readonly broker: MosquittoBroker;
  readonly nodes: readonly SoakNode[];
  /** The proxy between the last node and the database. */
  readonly proxy: StallingProxy;
  readonly proxiedNode: SoakNode;
  stop(): Promise<void>;
}

export interface SiteOptions {
  /** Whether the database gets a file system of its own. */
  readonly ownFileSystem: boolean;
  /** The folder for the logs of the nodes; `null` if they are not kept. */
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
