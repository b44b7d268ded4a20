import { patiently } from '@granary/common/patience';
import { leftMsOf, type RequestTime } from '@granary/common/request-time';
import { Pool } from 'pg';
import {
  CALL_MS_MAX,
  type Engine,
  type EngineFigures,
  LONG_CALL_MS_MAX,
  type UseCaseCall,
  type UseCases,
  WAIT_MS_MAX,
  WRITES_PENDING_MAX,
} from '../engine.ts';
import { StoreOpenError, storageUnavailable } from '../errors.ts';
import { POSTGRES_DIALECT } from '../migrations/migration.ts';
import { migrate, type OnUpgrade } from '../migrations/migrations.ts';
import { PostgresAnnouncements } from './announcements.ts';
import { Connections } from './connections.ts';
import { isTimeLimit, reasonOf } from './errors.ts';
import { PartitionUpkeep } from './partition-upkeep.ts';
import { Partitions } from './partitions.ts';
import { PostgresConnection } from './separate-connection.ts';
import { PostgresSql } from './sql.ts';
import { queueOf, type StatementQueue, type StatementResult } from './statement-queue.ts';
import { inTransaction } from './transaction.ts';
import { NUMBERS } from './types.ts';
import { refuseUnfinishedMove } from './unfinished-move.ts';
import { WriteRunner } from './write-runner.ts';

const CONNECTIONS_DEFAULT = 10;
/** Three connections are for stops and their look-ups, because all others may be busy, and one for the numbering of events. */
const URGENT_CONNECTIONS = 4;
const VERSION_QUERY = 'SELECT version FROM granary_schema';
const KEEP_ALIVE_AFTER_MS = 5_000;
/** The lock with which nodes that start together migrate one after the other; a migration may take long. */
export const MIGRATION_LOCK = 7_281_540_001;
const MIGRATION_MS_MAX = 60 * 60_000;

/** The limits of the times that the server and the client wait. */
export interface TimeLimits {
  readonly callMs: number;
  /** The limit of the wait for a lock. */
  readonly lockMs: number;
  /** The limit of a long write, such as the removal of old rows. */
  readonly longMs: number;
  /** The limit after which the server ends a statement; the client has stopped waiting before. */
  readonly statementMs: number;
  /**
   * The limit after which the server ends a transaction whose client disappeared without closing its connection. Other nodes
   * wait for its locks, so this limit is shorter than their wait for a lock; a client that lives sends its next statement
   * within milliseconds.
   */
  readonly idleInTransactionMs: number;
}

const TIME_LIMITS: TimeLimits = {
  callMs: CALL_MS_MAX,
  lockMs: WAIT_MS_MAX,
  longMs: LONG_CALL_MS_MAX,
  statementMs: CALL_MS_MAX + 2_000,
  idleInTransactionMs: WAIT_MS_MAX - 1_000,
};

/**
 * A confirmed commit must be on disk, whatever the setting of the server is. Compilation (`jit`) is off: it takes 20 to 100 ms,
 * more than running a statement, and the server compiles when it takes a new table without statistics for a large one. The
 * settings are sent outside a transaction, because a rollback would undo them.
 */
const SETTINGS = 'SET synchronous_commit = on; SET jit = off';

interface PostgresOptions {
  readonly limits?: TimeLimits | undefined;
  readonly onUpgrade?: OnUpgrade | undefined;
  /** The number of connections for all work that is not urgent. */
  readonly connections?: number | undefined;
}

export async function openPostgres(
  url: string,
  useCases: UseCases,
  { limits = TIME_LIMITS, onUpgrade, connections: count = CONNECTIONS_DEFAULT }: PostgresOptions = {},
): Promise<Engine> {
  const connections = new Connections(makePool(url, limits, { count, isUrgent: false }), limits.callMs);
  const urgentPool = makePool(url, limits, { count: URGENT_CONNECTIONS, isUrgent: true });
  const urgent = new Connections(urgentPool, limits.callMs);
  try {
    // A server that starts together with the service, or is busy, may answer its first calls late.
    await patiently(isTimeLimit, () => migrateTables(connections, onUpgrade));
    await patiently(isTimeLimit, () => openAll(urgent, URGENT_CONNECTIONS));
  } catch (error) {
    await Promise.all([connections.end(), urgent.end()]);
    if (error instanceof StoreOpenError) throw error;
    throw new StoreOpenError(`cannot use the database at ${addressOf(url)}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  const peers = {
    announcements: new PostgresAnnouncements(url),
    separateConnection: new PostgresConnection(url),
  };
  const engine = new PostgresEngine(connections, urgent, peers, limits, useCases);
  await engine.start();
  return engine;
}

/** Opens all connections: calls at the same moment get a connection each. */
async function openAll(connections: Connections, count: number): Promise<void> {
  const open = () => connections.use((client) => queueOf(client).run(VERSION_QUERY));
  await Promise.all(Array.from({ length: count }, open));
}

async function migrateTables(connections: Connections, onUpgrade?: OnUpgrade): Promise<void> {
  await inTransaction(
    connections,
    async (queue) => {
      await queue.script('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
      await queue.script(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await refuseUnfinishedMove(async (text) => (await queue.script(text)).rows);
      await migrate(new PostgresSql(queue, new Partitions()), POSTGRES_DIALECT, onUpgrade);
    },
    MIGRATION_MS_MAX,
  );
}

function makePool(
  url: string,
  limits: TimeLimits,
  { count, isUrgent }: { readonly count: number; readonly isUrgent: boolean },
): Pool {
  try {
    const pool = new Pool({
      connectionString: url,
      max: count,
      // Connections for stops stay open, so that no stop waits for a login.
      ...(isUrgent ? { idleTimeoutMillis: 0 } : {}),
      connectionTimeoutMillis: limits.callMs,
      lock_timeout: limits.lockMs,
      statement_timeout: limits.statementMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      types: NUMBERS,
      // A connection is closed if this fails.
      onConnect: (client) => queueOf(client, isUrgent).script(SETTINGS),
    });
    // A connection that is lost while idle is replaced at the next use; without a listener the event would end the process.
    pool.on('error', () => undefined);
    return pool;
  } catch (error) {
    throw new StoreOpenError(`cannot use the database at ${addressOf(url)}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** The address without user name and password. */
export function addressOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'an address that is not a URL' : `${parsed.host}${parsed.pathname}`;
}

/** The connections of a node with the other nodes. */
interface Peers {
  readonly announcements: PostgresAnnouncements;
  readonly separateConnection: PostgresConnection;
}

class PostgresEngine implements Engine {
  readonly reader: PostgresSql;
  readonly urgent: Engine['urgent'];
  readonly announcements: PostgresAnnouncements;
  readonly separateConnection: PostgresConnection;
  readonly openWriterPort = null;
  readonly #connections: Connections;
  readonly #urgentConnections: Connections;
  readonly #callMs: number;
  readonly #partitions = new Partitions();
  readonly #partitionUpkeep: PartitionUpkeep;
  readonly #runner: WriteRunner;
  readonly #pending = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(
    connections: Connections,
    urgentConnections: Connections,
    { announcements, separateConnection }: Peers,
    limits: TimeLimits,
    { callUseCase, isLong }: UseCases,
  ) {
    this.announcements = announcements;
    this.separateConnection = separateConnection;
    this.#connections = connections;
    this.#urgentConnections = urgentConnections;
    this.#callMs = limits.callMs;
    const partitions = this.#partitions;
    this.#partitionUpkeep = new PartitionUpkeep(connections, partitions, limits.longMs);
    this.#runner = new WriteRunner({
      callUseCase,
      isLong,
      partitions,
      limits,
      partitionUpkeep: this.#partitionUpkeep,
    });
    this.reader = this.#readerOn(connections, null);
    this.urgent = {
      reader: this.#readerOn(urgentConnections, null),
      write: (call, time = null) => this.#track(() => this.#runner.run(urgentConnections, call, time)),
    };
  }

  async start(): Promise<void> {
    await this.#partitionUpkeep.start();
  }

  readerWithin(time: RequestTime): PostgresSql {
    return this.#readerOn(this.#connections, time);
  }

  async write(call: UseCaseCall, time: RequestTime | null = null): Promise<unknown> {
    if (this.#pending.size >= WRITES_PENDING_MAX) throw storageUnavailable('too many writes are waiting');
    return await this.#track(() => this.#runner.run(this.#connections, call, time));
  }

  /** Reads and writes share the server, so one query checks both. */
  async health(): Promise<void> {
    await this.reader.query(VERSION_QUERY);
  }

  finishSoon(): void {
    this.#connections.finishSoon();
    this.#urgentConnections.finishSoon();
    this.separateConnection.finishSoon();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  figures(): EngineFigures {
    return { commits: this.#runner.commits, pendingWrites: this.#pending.size };
  }

  #readerOn(connections: Connections, time: RequestTime | null): PostgresSql {
    const use = (read: (queue: StatementQueue) => Promise<StatementResult>) =>
      connections.use((client) => read(queueOf(client)), Math.min(this.#callMs, leftMsOf(time)));
    return new PostgresSql(
      {
        run: (text, values) => use((queue) => queue.run(text, values)),
        script: (text) => use((queue) => queue.script(text)),
        post: () => {
          throw new Error('a read does not write');
        },
      },
      this.#partitions,
    );
  }

  async #track(begin: () => Promise<unknown>): Promise<unknown> {
    if (this.#closing !== undefined) throw storageUnavailable('it is closed');
    const write = begin();
    this.#pending.add(write);
    try {
      return await write;
    } finally {
      this.#pending.delete(write);
    }
  }

  async #close(): Promise<void> {
    this.#partitionUpkeep.stop();
    await Promise.allSettled(this.#pending);
    this.announcements.close();
    await Promise.all([
      this.#connections.end(),
      this.#urgentConnections.end(),
      this.separateConnection.close(),
    ]);
  }
}
