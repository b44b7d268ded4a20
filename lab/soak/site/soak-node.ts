import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { freePort } from '../../../tools/free-port.ts';
import { type ServiceProcess, startServiceProcess } from '../../bench/service-process.ts';

export const ADMIN_KEY = 'an-admin-key-for-the-soak-run-and-nothing-else';

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

  /** True if the node was stopped, killed or started at or after the time, or is not there now. */
  wasAwaySince(timeMs: number): boolean {
    return this.#process === null || this.#changedMs >= timeMs;
  }

  get process(): ServiceProcess {
    if (this.#process === null) throw new Error(`node ${this.number} is not running`);
    return this.#process;
  }

  /** `more`: settings of this start only. */
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
