import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrokerAccess } from '@granary/link/external/connection/broker-address';
import { freePort } from '../free-port.ts';
import { HOST } from './fixture.ts';

const LISTEN_RETRY_MS = 20;
const END_RETRY_MS = 200;
const OPEN: Settings = () => ['allow_anonymous true'];
export const SERVICE_USER = { username: 'granary', password: 'password-of-the-service' };
export const SECURITY_FILE = 'dynamic-security.json';
const PLUGINS = ['/usr/lib/*/mosquitto_dynamic_security.so', '/usr/lib/mosquitto_dynamic_security.so'];

type Settings = (folder: string) => readonly string[];
type Files = Readonly<Record<string, string>>;

/** A real Mosquitto with the settings that docs/running.md requires; it can be killed and started again. */
export class MosquittoBroker {
  readonly access: BrokerAccess;
  readonly #folder: string;
  #process: ChildProcess | null = null;

  private constructor(access: BrokerAccess, folder: string) {
    this.access = access;
    this.#folder = folder;
  }

  /**
   * `settings` are further lines of the configuration, which replace the open access; `files` are written into its folder; `login` is that
   * of the service.
   */
  static async start(
    settings: Settings = OPEN,
    files: Files = {},
    login: Pick<BrokerAccess, 'username' | 'password'> = { username: null, password: null },
  ): Promise<MosquittoBroker> {
    const folder = await mkdtemp(join(tmpdir(), 'granary-mosquitto-'));
    const port = await freePort();
    const access = { host: HOST, port, isSecure: false, ...login };
    const broker = new MosquittoBroker(access, folder);
    const user = process.getuid?.() === 0 ? ['user root'] : [];
    const lines = [
      `listener ${port} ${HOST}`,
      'log_type none',
      'max_queued_messages 0',
      'max_inflight_messages 0',
      'persistence true',
      `persistence_location ${folder}/`,
      'autosave_interval 1',
      ...user,
      ...settings(folder),
    ];
    await writeFile(broker.#file, `${lines.join('\n')}\n`);
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await broker.restart();
    return broker;
  }

  /** The address, with the user of the service if there is one. */
  get url(): string {
    const { host, port, username, password } = this.access;
    return username === null ? `mqtt://${host}:${port}` : `mqtt://${username}:${password}@${host}:${port}`;
  }

  get pid(): number {
    if (this.#process?.pid === undefined) throw new Error('Mosquitto does not run');
    return this.#process.pid;
  }

  get folder(): string {
    return this.#folder;
  }

  /** Starts the process if it does not run; starts it again if a connection of another test has just taken its port. */
  async restart(): Promise<void> {
    const { port } = this.access;
    for (;;) {
      if (this.#process === null || this.#process.exitCode !== null)
        this.#process = spawn('mosquitto', ['-c', this.#file], { stdio: 'ignore' });
      if (await isListening(port)) return;
      await new Promise((resolve) => setTimeout(resolve, LISTEN_RETRY_MS));
    }
  }

  /** Ends the process with SIGTERM, so that it stores its sessions first. The signal is repeated, because it has no effect just after the start. */
  async end(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    const asking = setInterval(() => child.kill('SIGTERM'), END_RETRY_MS);
    child.kill('SIGTERM');
    await exited;
    clearInterval(asking);
  }

  async remove(): Promise<void> {
    await this.end();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #file(): string {
    return join(this.#folder, 'mosquitto.conf');
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A Mosquitto with its dynamic security plugin, set up as docs/running.md says. */
export async function startDynamicSecurityBroker(): Promise<MosquittoBroker> {
  const [plugin] = globSync(PLUGINS);
  if (plugin === undefined) throw new Error('the dynamic security plugin of Mosquitto is missing');
  const settings = (folder: string) => [
    'allow_anonymous false',
    'set_tcp_nodelay true',
    `plugin ${plugin}`,
    `plugin_opt_config_file ${folder}/${SECURITY_FILE}`,
  ];
  return await MosquittoBroker.start(settings, { [SECURITY_FILE]: await firstConfiguration() }, SERVICE_USER);
}

/** The first configuration, as `mosquitto_ctrl` makes it: one user, who may control the plugin. */
export async function firstConfiguration(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-dynamic-security-'));
  const file = join(folder, SECURITY_FILE);
  const { username, password } = SERVICE_USER;
  execFileSync('mosquitto_ctrl', ['dynsec', 'init', file, username, password], { stdio: 'ignore' });
  const text = await readFile(file, 'utf8');
  await rm(folder, { recursive: true });
  return text;
}
