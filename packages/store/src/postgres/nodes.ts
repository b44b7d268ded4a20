import type { ClockSample } from '@granary/core/nodes/clock-offset';
import type { BrokerKind, NodeRecord } from '@granary/core/nodes/live-nodes';
import { Pool, type PoolClient } from 'pg';
import { CALL_MS_MAX, WAIT_MS_MAX } from '../engine.ts';
import { LIVE_MS, type NewNode, type NodesNow, type NodeTable } from '../nodes.ts';
import { Connections } from './connections.ts';
import { translate } from './errors.ts';

/** Nodes join one after the other, or two could start at once without seeing each other. */
const JOIN_LOCK = 7_281_540_004;
/** A node that has ended without leaving is forgotten after this time. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const LEAVE_MS_MAX = 1_000;

const NOW = `(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;
const COLUMNS =
  'node_id, host, broker, version, preset_hash, started_at_ms, live_since_ms, last_seen_at_ms, broker_since_ms';
const INSERT = `INSERT INTO nodes (folder_id, ${COLUMNS})
  SELECT $2, $1, $3, $4, $5, $6, now, now, now, CASE WHEN $7::boolean THEN now END FROM (SELECT ${NOW} AS now) clock`;
/** A node that was away for longer than it counts as live begins anew. */
const WAS_AWAY = `nodes.last_seen_at_ms < excluded.last_seen_at_ms - ${LIVE_MS}`;
const BEAT = `${INSERT} ON CONFLICT (node_id) DO UPDATE SET last_seen_at_ms = excluded.last_seen_at_ms,
  live_since_ms = CASE WHEN ${WAS_AWAY} THEN excluded.live_since_ms ELSE nodes.live_since_ms END,
  broker_since_ms = CASE WHEN ${WAS_AWAY} OR excluded.broker_since_ms IS NULL THEN excluded.broker_since_ms
    ELSE coalesce(nodes.broker_since_ms, excluded.broker_since_ms) END
  RETURNING ${COLUMNS}`;
/** A time ahead is of a node that ended before the clock of the database was set back. */
const OTHERS = `SELECT ${COLUMNS} FROM nodes WHERE node_id <> $1 AND abs(last_seen_at_ms - ${NOW}) <= ${LIVE_MS} ORDER BY node_id`;

/** The times are read as text. */
type NodeRow = [
  nodeId: string,
  host: string,
  broker: BrokerKind,
  version: string,
  presetHash: string | null,
  startedAt: string,
  liveSince: string,
  lastSeenAt: string,
  brokerSince: string | null,
];

function toNode(row: NodeRow): NodeRecord {
  const [nodeId, host, broker, version, presetHash, startedAt, liveSince, lastSeenAt, brokerSince] = row;
  return {
    nodeId,
    host,
    broker,
    version,
    presetHash,
    startedAtMs: Number(startedAt),
    liveSinceMs: Number(liveSince),
    lastSeenAtMs: Number(lastSeenAt),
    brokerSinceMs: brokerSince === null ? null : Number(brokerSince),
  };
}

const valuesOf = (node: NewNode, reachesBroker: boolean) => {
  const { nodeId, folderId, host, broker, version, presetHash } = node;
  return [nodeId, folderId, host, broker, version, presetHash, reachesBroker];
};

/** The connection is used for this only, so that a busy pool makes no node look dead. */
export class PostgresNodes implements NodeTable {
  readonly #connections: Connections;

  constructor(url: string) {
    const pool = new Pool({
      connectionString: url,
      max: 1,
      keepAlive: true,
      connectionTimeoutMillis: CALL_MS_MAX,
      lock_timeout: WAIT_MS_MAX,
      statement_timeout: CALL_MS_MAX,
      idle_in_transaction_session_timeout: CALL_MS_MAX,
    });
    // A connection that is lost while idle is replaced at the next use; without a listener the event would end the process.
    pool.on('error', () => undefined);
    this.#connections = new Connections(pool, CALL_MS_MAX);
  }

  join(node: NewNode, conflicting: (others: readonly NodeRecord[]) => NodeRecord[]): Promise<NodeRecord[]> {
    // A connection whose transaction has not ended is closed, which rolls it back.
    return this.#use(async (client) => {
      await client.query('BEGIN');
      await client.query(`SELECT pg_advisory_xact_lock(${JOIN_LOCK})`);
      await client.query(
        `DELETE FROM nodes WHERE (folder_id = $1 AND host = $2) OR abs(last_seen_at_ms - ${NOW}) > ${FORGOTTEN_AFTER_MS}`,
        [node.folderId, node.host],
      );
      const conflicts = conflicting(await othersOf(client, node.nodeId));
      if (conflicts.length === 0) await client.query(BEAT, valuesOf(node, false));
      await client.query('COMMIT');
      return conflicts;
    });
  }

  beat(node: NewNode, reachesBroker: boolean): Promise<NodesNow> {
    return this.#use(async (client) => {
      const values = valuesOf(node, reachesBroker);
      const beaten = await client.query<NodeRow>({ text: BEAT, values, rowMode: 'array' });
      const [row] = beaten.rows;
      if (row === undefined) throw new Error('the row of a node that was just written is missing');
      return { own: toNode(row), others: await othersOf(client, node.nodeId) };
    });
  }

  /** A database that does not answer must not hold up the end of the node. */
  async leave(nodeId: string): Promise<void> {
    await this.#use((client) => client.query('DELETE FROM nodes WHERE node_id = $1', [nodeId]), LEAVE_MS_MAX);
  }

  askTime(monotonicMs: () => number): Promise<ClockSample> {
    return this.#use(async (client) => {
      const askedAtMs = monotonicMs();
      const text = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8';
      const { rows } = await client.query<[number]>({ text, rowMode: 'array' });
      const answeredAtMs = monotonicMs();
      return { askedAtMs, answeredAtMs, databaseMs: rows[0]?.[0] ?? Number.NaN };
    });
  }

  finishSoon(): void {
    this.#connections.finishSoon();
  }

  close(): Promise<void> {
    return this.#connections.end();
  }

  #use<T>(work: (client: PoolClient) => Promise<T>, limitMs?: number): Promise<T> {
    return this.#connections.use(work, limitMs).catch(throwTranslated);
  }
}

const throwTranslated = (error: unknown): never => {
  throw translate(error);
};

async function othersOf(client: PoolClient, nodeId: string): Promise<NodeRecord[]> {
  const { rows } = await client.query<NodeRow>({ text: OTHERS, values: [nodeId], rowMode: 'array' });
  return rows.map(toNode);
}
