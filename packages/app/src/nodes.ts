import type { ClockSample, NodeRecord } from '@granary/core/nodes';
import type { SeparateConnection } from '@granary/store/engine';
import type { Sql } from '@granary/store/sql';

/** A node whose last sign of life, by the clock of the database, is older than this counts as ended. */
export const LIVE_MS = 5_000;
/** Nodes join one after the other; otherwise two could start at once without seeing each other. */
const JOIN_LOCK = 7_281_540_004;
/** A node that has ended without leaving is forgotten after this time. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const LEAVE_MS_MAX = 1_000;

const NOW = `(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;
const COLUMNS =
  'node_id, host, broker, version, preset_hash, started_at_ms, live_since_ms, last_seen_at_ms, broker_since_ms';
const INSERT = `INSERT INTO nodes (folder_id, ${COLUMNS})
  SELECT $2, $1, $3, $4, $5, $6, now, now, now, CASE WHEN $7::boolean THEN now END FROM (SELECT ${NOW} AS now) clock`;
/** The condition for a node that was away for longer than `LIVE_MS`: its times begin anew. */
const WAS_AWAY = `nodes.last_seen_at_ms < excluded.last_seen_at_ms - ${LIVE_MS}`;
const BEAT = `${INSERT} ON CONFLICT (node_id) DO UPDATE SET last_seen_at_ms = excluded.last_seen_at_ms,
  live_since_ms = CASE WHEN ${WAS_AWAY} THEN excluded.live_since_ms ELSE nodes.live_since_ms END,
  broker_since_ms = CASE WHEN ${WAS_AWAY} OR excluded.broker_since_ms IS NULL THEN excluded.broker_since_ms
    ELSE coalesce(nodes.broker_since_ms, excluded.broker_since_ms) END
  RETURNING ${COLUMNS}`;
/** A time ahead of the clock belongs to a node that ended before the clock of the database was set back; such a node is left out. */
const OTHERS = `SELECT ${COLUMNS} FROM nodes WHERE node_id <> $1 AND abs(last_seen_at_ms - ${NOW}) <= ${LIVE_MS} ORDER BY node_id`;

/** A node that starts; the database adds the times. */
export interface NewNode extends Pick<NodeRecord, 'nodeId' | 'host' | 'broker' | 'version' | 'presetHash'> {
  /** The id of the data folder, which one process uses at a time: an earlier node with the same folder on the same host has ended. */
  readonly folderId: string;
}

export interface NodesNow {
  readonly own: NodeRecord;
  /** The other nodes that are alive. */
  readonly others: readonly NodeRecord[];
}

/** The nodes that share a PostgreSQL database, and the clock that they share. */
export class NodeTable {
  readonly #connection: SeparateConnection;

  /** The connection is used only for this table, so that a busy pool does not make a node look dead. */
  constructor(connection: SeparateConnection) {
    this.#connection = connection;
  }

  /** Enters the node, unless `conflicting` names live nodes: then these are returned. */
  join(node: NewNode, conflicting: (others: readonly NodeRecord[]) => NodeRecord[]): Promise<NodeRecord[]> {
    // A connection whose transaction has not ended is closed, which rolls it back.
    return this.#connection.use(async (sql) => {
      await sql.run('BEGIN');
      await sql.run(`SELECT pg_advisory_xact_lock(${JOIN_LOCK})`);
      await sql.run(
        `DELETE FROM nodes WHERE (folder_id = $1 AND host = $2) OR abs(last_seen_at_ms - ${NOW}) > ${FORGOTTEN_AFTER_MS}`,
        [node.folderId, node.host],
      );
      const conflicts = conflicting(await othersOf(sql, node.nodeId));
      if (conflicts.length === 0) await enter(sql, node, false);
      await sql.run('COMMIT');
      return conflicts;
    });
  }

  /** Records that the node lives, and whether it reaches the external broker. */
  beat(node: NewNode, reachesBroker: boolean): Promise<NodesNow> {
    return this.#connection.use(async (sql) => {
      const own = await enter(sql, node, reachesBroker);
      return { own, others: await othersOf(sql, node.nodeId) };
    });
  }

  /** Removes the node; a database that does not answer must not delay the end of the process. */
  async leave(nodeId: string): Promise<void> {
    await this.#connection.use(
      (sql) => sql.run('DELETE FROM nodes WHERE node_id = $1', [nodeId]),
      LEAVE_MS_MAX,
    );
  }

  /** `monotonicMs` is a clock that never goes back and that nobody can set. */
  askTime(monotonicMs: () => number): Promise<ClockSample> {
    return this.#connection.use(async (sql) => {
      const askedAtMs = monotonicMs();
      const [row] = await sql.query<{ databaseMs: number }>(
        'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS database_ms',
      );
      return { askedAtMs, answeredAtMs: monotonicMs(), databaseMs: row?.databaseMs ?? Number.NaN };
    });
  }
}

async function enter(sql: Sql, node: NewNode, reachesBroker: boolean): Promise<NodeRecord> {
  const { nodeId, folderId, host, broker, version, presetHash } = node;
  const values = [nodeId, folderId, host, broker, version, presetHash, String(reachesBroker)];
  const [row] = await sql.query<NodeRecord>(BEAT, values);
  if (row === undefined) throw new Error('the row of a node that was just written is missing');
  return row;
}

const othersOf = (sql: Sql, nodeId: string): Promise<NodeRecord[]> => sql.query<NodeRecord>(OTHERS, [nodeId]);

/** The hashes of the admin keys that are preset by settings of live nodes. */
export async function presetHashesOfNodes(sql: Sql, nowMs: number): Promise<string[]> {
  if (sql.hasOneWriter) return [];
  const rows = await sql.query<{ presetHash: string }>(
    'SELECT preset_hash FROM nodes WHERE preset_hash IS NOT NULL AND last_seen_at_ms >= $1',
    [nowMs - LIVE_MS],
  );
  return rows.map(({ presetHash }) => presetHash);
}
