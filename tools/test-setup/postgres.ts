import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { atExit } from '../at-exit.ts';
import { freePort } from '../free-port.ts';
import { postgresFolder, type RunAs, unprivilegedUser } from './postgres-binaries.ts';
import { killProcessTree, resumeProcessTree, suspendProcessTree } from './process-tree.ts';

/** A real PostgreSQL server for tests; `stop` removes its data. */
export interface Postgres {
  /** Connects as superuser, so that each test can create its own databases. */
  readonly url: string;
  /** The process that starts all others of the server. */
  pid(): number;
  /** Suspends the server and its backends: connections stay open and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Ends the server without a shutdown, like a power failure. */
  kill(): Promise<void>;
  /** As `pg_ctl stop` does: `fast` ends all sessions first, `immediate` ends like a crash. Nothing happens if it has ended by itself. */
  shutDown(mode: 'fast' | 'immediate'): Promise<void>;
  readonly isRunning: boolean;
  /** Starts the server again with the same data on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const SUPERUSER = 'postgres';
const READY = 'database system is ready to accept connections';
const CONNECTIONS_MAX = 200;
const NOT_DURABLE = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];

// Text sorts as on most servers, not by bytes as in SQLite, so that a query that depends on the order fails here.
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];

export interface PostgresOptions {
  /** Where the folder of its data is made. */
  readonly parent?: string | undefined;
  /** `false` for tests that are not about storage: without waiting for the disk, a killed server recovers, but not a crashed machine. */
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log.join('\n')}`)));
    createInterface({ input: server.stderr }).on('line', (line) => {
      // The output must be read, otherwise the pipe fills up and PostgreSQL blocks.
      if (line.includes(READY)) resolve();
      else if (log.length < 50) log.push(line);
    });
  });
  return server;
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

/** The signals are those of PostgreSQL; neither waits for clients to disconnect. */
const SHUTDOWN_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

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
