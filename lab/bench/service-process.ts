import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Client } from 'pg';
import { atExit } from '../../tools/at-exit.ts';
import { REPOSITORY_ROOT } from '../../tools/repository-files.ts';
import { ensureService } from '../../tools/service-build/build.ts';
import { startPostgres } from '../../tools/test-setup/postgres.ts';

/** The launcher beside the built service and without the sources, as in the package that users install. */
const INSTALLED = join(REPOSITORY_ROOT, 'dist/installed');
export const GRANARY = join(INSTALLED, 'bin/granary.mjs');

/** The length to which a line of the log is cut in an error message. */
const LINE_CHARACTERS_MAX = 300;

/** The addresses of a service, and the key with all rights. */
export interface Addresses {
  readonly httpUrl: string;
  readonly mqttUrl: string;
  readonly adminKey: { readonly key: string };
}

export interface ServiceProcess extends Addresses {
  readonly pid: number;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

interface Env extends Readonly<Record<string, string>> {
  readonly GRANARY_DATA_DIR: string;
}

/** The service is built once, so that the build is not part of later starts, which may be measured. */
let built: Promise<void> | undefined;

/** Starts the service as users do, by its command and in its built form, on free ports; `log` gets its output after the start. */
export async function startServiceProcess(env: Env, log?: Writable): Promise<ServiceProcess> {
  built ??= install();
  await built;
  const child = spawn(process.execPath, [GRANARY, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      // The value is that of deploy/granary.service and of the container.
      MALLOC_ARENA_MAX: '1',
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_LOG_LEVEL: 'error',
      ...env,
    },
  });
  // A measurement that is interrupted leaves no service behind.
  const exited = once(child, 'exit').finally(atExit(() => child.kill('SIGKILL')));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  const printed = await startMessageOf(child.stdout, log);
  const { pid } = child;
  if (pid === undefined) throw new Error('the process has no id');
  return {
    pid,
    httpUrl: addressIn(printed, /HTTP +(\S+)/),
    mqttUrl: addressIn(printed, /MQTT +(\S+)/),
    adminKey: {
      key:
        env['GRANARY_ADMIN_KEY'] ?? (await readFile(join(env.GRANARY_DATA_DIR, 'admin-key'), 'utf8')).trim(),
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

async function install(): Promise<void> {
  await ensureService();
  await rm(INSTALLED, { recursive: true, force: true });
  await mkdir(dirname(GRANARY), { recursive: true });
  await copyFile(join(REPOSITORY_ROOT, 'packages/cli/bin/granary.mjs'), GRANARY);
  await symlink('..', join(INSTALLED, 'dist'));
}

/** Returns the start message. The output after it, such as lines of the log, is passed on or discarded. */
function startMessageOf(output: Readable, log?: Writable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer): void => {
      text += chunk;
      if (!text.includes('Ctrl+C')) return;
      output.off('data', read);
      if (log === undefined) output.resume();
      else output.pipe(log, { end: false });
      resolve(text);
    };
    const ended = (): void =>
      reject(new Error(`the service ended before it had started: ${lastLineOf(text)}`));
    output.on('data', read).once('end', ended);
  });
}

const lastLineOf = (text: string): string =>
  text.trimEnd().split('\n').at(-1)?.slice(0, LINE_CHARACTERS_MAX) ?? '';

function addressIn(text: string, pattern: RegExp): string {
  const address = pattern.exec(text)?.[1];
  if (address === undefined) throw new Error(`no address in ${text}`);
  return address;
}

/** The place where the measured service stores its data. */
export interface Storage {
  /** The text after the name of a measurement; empty for the default. */
  readonly suffix: string;
  readonly databaseUrl: string;
}

export const SQLITE: Storage = { suffix: '', databaseUrl: '' };

export const startBenchService = (dataDir: string, { databaseUrl }: Storage): Promise<ServiceProcess> =>
  startServiceProcess({
    GRANARY_DATA_DIR: dataDir,
    GRANARY_DATABASE_URL: databaseUrl,
    GRANARY_RATE_LIMIT: 'off',
  });

/** The same measurement on a new database of a PostgreSQL that is started for it. */
export const onPostgres =
  <Result>(measure: (dataDir: string, storage: Storage) => Promise<Result>) =>
  async (dataDir: string): Promise<Result> => {
    const server = await startPostgres();
    try {
      const databaseUrl = await newDatabase(server.url, 'bench');
      return await measure(dataDir, { suffix: ' on PostgreSQL', databaseUrl });
    } finally {
      await server.stop();
    }
  };

/** Creates an empty database of this name and returns its address. */
export async function newDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

const PROCESSOR_TICK_MS = 10;

/** The processor time of a process since its start, with all its threads. */
export async function processorMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may contain spaces.
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return PROCESSOR_TICK_MS * ((user ?? 0) + (system ?? 0));
}

/** The resident memory of a process. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}
