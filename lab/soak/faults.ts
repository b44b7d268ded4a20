import { glob } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { Client } from 'pg';
import type { Database } from './database.ts';
import type { FleetProcess } from './fleet-process.ts';
import type { Site, SoakNode } from './site.ts';

const AWAY_MS = 8_000;
const CUT_MS = 12_000;
const SKEW = '+60s';
const SKEWED_MS = 25_000;
const STALL_TRIES = 100;
const STALL_PAUSE_MS = 250;
const STALL_SEEN_MS = 400;
const RESTARTS = 5;
const BETWEEN_MS = 2_000;
const FULL_MS = 12_000;
const DUMP_MS = 20_000;
const LATE_AFTER_MS = 2_000;
const LATE_DEVICES = 5;

/** The parts of the site that a fault can use and affect. */
interface FaultParts {
  readonly site: Site;
  readonly database: Database;
  readonly fleet: FleetProcess;
  /** Silos that nobody operates. */
  readonly idleSilos: readonly string[];
  /** Call it when the fault is over for these nodes (all if not given): measures the time until they work and have caught up. */
  recovered(nodes?: readonly SoakNode[]): Promise<void>;
  /** Makes alerts and missions due on all nodes at the same moment, and waits until the missions have begun. */
  dueTogether(): Promise<void>;
}

export interface Fault {
  /** The name for `--only`. */
  readonly name: string;
  /** What the fault does, for the report. */
  readonly description: string;
  /** Set if the database needs a file system of its own, which only root can mount. */
  readonly needsFileSystem?: true;
  run(parts: FaultParts): Promise<void>;
}

const othersThan = ({ site }: FaultParts, node: SoakNode): SoakNode[] =>
  site.nodes.filter((other) => other !== node);

const killNode: Fault = {
  name: 'kill-node',
  description: 'each node in turn is ended by `kill -9` under load, and started again 8 s later',
  run: async (parts) => {
    for (const node of parts.site.nodes) {
      await node.kill();
      await parts.recovered(othersThan(parts, node));
      await sleep(AWAY_MS);
      await node.start();
      await parts.recovered();
    }
  },
};

const cutNetwork: Fault = {
  name: 'cut-network',
  description: 'for 12 s nothing passes between one node and the database, and no connection is closed',
  run: async (parts) => {
    parts.site.proxy.stall();
    await sleep(CUT_MS);
    parts.site.proxy.resume();
    await parts.recovered();
  },
};

const dieInTransaction: Fault = {
  name: 'die-in-transaction',
  description:
    'a node dies with open transactions, and the database is not told, as when a machine loses its power: its connections stay open and silent',
  run: async (parts) => {
    const { proxy, proxiedNode } = parts.site;
    await stallInTransaction(parts);
    await proxiedNode.kill();
    proxy.abandon();
    await parts.recovered(othersThan(parts, proxiedNode));
    await proxiedNode.start();
    await parts.recovered();
  },
};

/** Cuts the node off while it has an open transaction. */
async function stallInTransaction({ site: { proxy }, database }: FaultParts): Promise<void> {
  for (let tries = 0; tries < STALL_TRIES; tries++) {
    proxy.stall();
    await sleep(STALL_SEEN_MS);
    if ((await database.abandonedTransactions()) > 0) return;
    proxy.resume();
    await sleep(STALL_PAUSE_MS);
  }
  throw new Error('no transaction was open in any attempt');
}

const skewClock: Fault = {
  name: 'skew-clock',
  description:
    'one node is restarted with a clock that is a minute ahead (libfaketime), works for 25 s, and is restarted with the right one',
  run: async (parts) => {
    const node = parts.site.nodes[1];
    if (node === undefined) throw new Error('there is no second node');
    const restart = async (env: Readonly<Record<string, string>>): Promise<void> => {
      await node.stop();
      await node.start(env);
      await parts.recovered();
    };
    await restart({ LD_PRELOAD: await fakeTimeLibrary(), FAKETIME: SKEW, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    const aheadS = Number(/^granary_clock_ahead_seconds (\S+)/m.exec(metrics)?.[1]);
    if (!(aheadS > 50 && aheadS < 70)) throw new Error(`the clock of the node is ${aheadS} s ahead`);
    await sleep(SKEWED_MS);
    await restart({});
  },
};

async function fakeTimeLibrary(): Promise<string> {
  const [library] = await Array.fromAsync(glob('/usr/lib/*/faketime/libfaketimeMT.so.1'));
  if (library === undefined) throw new Error('libfaketime is not there: install the package faketime');
  return library;
}

const dueTogether: Fault = {
  name: 'same-due-work',
  description: 'missions and alerts become due on all nodes at the same moment',
  run: async (parts) => {
    await parts.dueTogether();
    await parts.recovered();
  },
};

const restartBroker: Fault = {
  name: 'restart-broker',
  description: `Mosquitto is ended by SIGTERM and started again at once, ${RESTARTS} times; devices publish before a node has connected again`,
  run: async ({ site, recovered }) => {
    for (let count = 0; count < RESTARTS; count++) {
      await site.broker.end();
      await site.broker.restart();
      await sleep(BETWEEN_MS);
    }
    await recovered();
  },
};

const freezeDatabase: Fault = {
  name: 'freeze-database',
  description: 'PostgreSQL and all its processes are suspended (SIGSTOP) for 8 s',
  run: async ({ site, recovered }) => {
    await site.postgres.freeze();
    await sleep(AWAY_MS);
    await site.postgres.thaw();
    await recovered();
  },
};

const stopDatabase = (mode: 'fast' | 'immediate') => async (parts: FaultParts) => {
  const { postgres } = parts.site;
  await postgres.shutDown(mode);
  await sleep(AWAY_MS);
  await postgres.restart();
  await parts.recovered();
};

const stopDatabaseFast: Fault = {
  name: 'stop-database-fast',
  description: 'PostgreSQL is stopped (fast) and started 8 s later',
  run: stopDatabase('fast'),
};

const stopDatabaseImmediate: Fault = {
  name: 'stop-database-immediate',
  description: 'PostgreSQL is stopped (immediate, as a crash) and started 8 s later',
  run: stopDatabase('immediate'),
};

const fillDisk: Fault = {
  name: 'fill-disk',
  description:
    'the file system of PostgreSQL is filled to the last block for 12 s; if PostgreSQL ends by that, it is started when there is room again',
  needsFileSystem: true,
  run: async ({ site, recovered }) => {
    const { volume, postgres } = site;
    if (volume === null) throw new Error('the database has no file system of its own');
    await volume.fill();
    await sleep(FULL_MS);
    await volume.freeAgain();
    if (!postgres.isRunning) await postgres.restart();
    await recovered();
  },
};

const dump: Fault = {
  name: 'dump',
  description:
    'a transaction holds the locks of `pg_dump` (ACCESS SHARE on every table, and a snapshot) for 20 s; meanwhile devices report the first readings of a day that has no partition yet: yesterday, because only the day of the reading decides',
  run: async ({ site, fleet, idleSilos, recovered }) => {
    const client = new Client({ connectionString: site.postgres.url });
    await client.connect();
    try {
      await lockAsDump(client);
      await sleep(LATE_AFTER_MS);
      const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      fleet.reportLate(idleSilos.slice(0, LATE_DEVICES), midnightMs - MINUTE_MS);
      await sleep(DUMP_MS / 2);
      // The dump is still running: the service must work before its end.
      await recovered();
      await sleep(DUMP_MS / 2);
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
    await recovered();
  },
};

async function lockAsDump(client: Client): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  await client.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN ACCESS SHARE MODE`);
}

/** The faults of a run, in their order. */
export const FAULTS: readonly Fault[] = [
  killNode,
  freezeDatabase,
  stopDatabaseFast,
  stopDatabaseImmediate,
  restartBroker,
  cutNetwork,
  dueTogether,
  skewClock,
  dump,
  fillDisk,
  dieInTransaction,
];
