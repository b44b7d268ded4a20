import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildPackage } from '../packaging/build.ts';
import { install, installedCommand, packInto } from '../packaging/install.ts';
import { PUBLISHED_PACKAGES } from '../packaging/published-packages.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';

type Env = Readonly<Record<string, string>>;

/** An old Node, if the machine has one; the command then brings the Node that it needs. */
const SYSTEM_NODE = '/usr/bin/node';
const NODE = existsSync(SYSTEM_NODE) ? SYSTEM_NODE : process.execPath;
const PORTS = { GRANARY_HTTP_PORT: '28080', GRANARY_MQTT_PORT: '21883', GRANARY_LOG_LEVEL: 'silent' };

/** The command as users install it, in an empty folder, with a simulated farm that the command has started there. */
export class InstalledFarm {
  readonly url = `http://127.0.0.1:${PORTS.GRANARY_HTTP_PORT}`;
  readonly #folder: string;
  #farm: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<InstalledFarm> {
    const farm = new InstalledFarm(await mkdtemp(join(tmpdir(), 'granary-tour-')));
    try {
      await farm.#install();
      await farm.#up();
      return farm;
    } catch (error) {
      await farm.stop();
      throw error;
    }
  }

  async #install(): Promise<void> {
    const published = PUBLISHED_PACKAGES.find(({ name }) => name === 'cli');
    if (published === undefined) throw new Error('the command is not a published package');
    // The folder is below the repository, because the compiler finds the libraries there.
    const built = join(REPOSITORY_ROOT, 'dist', `tour-${process.pid}`);
    try {
      await buildPackage(published, built);
      const { tarball } = await packInto(built, this.#folder);
      await install(tarball, join(this.#folder, 'empty'));
    } finally {
      await rm(built, { recursive: true, force: true });
    }
  }

  async #up(): Promise<void> {
    const { stdout } = this.#spawn(['up', '--interval', '1']);
    for await (const chunk of stdout ?? []) if (String(chunk).includes('Ctrl+C stops it')) return;
    throw new Error('the farm did not start');
  }

  #spawn(args: readonly string[], env: Env = {}): ChildProcess {
    const place = join(this.#folder, 'empty');
    const child = spawn(NODE, [installedCommand(place), ...args], {
      cwd: place,
      env: { ...PORTS, GRANARY_ACTOR: 'Ada', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (args[0] === 'up') this.#farm = child;
    return child;
  }

  /** Runs a command and returns what it printed. */
  async granary(args: readonly string[], env: Env = {}): Promise<{ printed: string; exitCode: number }> {
    const child = this.#spawn(args, env);
    const closed = once(child, 'close');
    const printed = child.stdout === null ? '' : await text(child.stdout);
    const [exitCode] = await closed;
    return { printed, exitCode };
  }

  adminKey(): Promise<string> {
    return readFile(join(this.#folder, 'empty/.granary/admin-key'), 'utf8').then((key) => key.trim());
  }

  async stop(): Promise<void> {
    if (this.#farm !== undefined && this.#farm.exitCode === null) {
      const exited = once(this.#farm, 'exit');
      this.#farm.kill('SIGTERM');
      await exited;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
