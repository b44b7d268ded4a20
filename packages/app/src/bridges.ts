import {
  BRIDGE_DEVICES_MAX,
  BRIDGE_MAPPINGS_MAX,
  BRIDGE_REQUESTS_MAX,
  BRIDGES_MAX,
  type BridgedDevice,
  type BridgeMapping,
  type BridgeReport,
  type BridgeRequest,
  type BridgeResult,
} from '@granary/contract/bridges';
import { Refusal } from '@granary/contract/errors';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from './effects.ts';
import type { Transaction } from './transaction.ts';

/** What a report says of the bridge itself. */
export type BridgeState = Pick<BridgeReport, 'version' | 'started_at' | 'site' | 'journal'>;

export interface StoredBridge {
  readonly bridgeId: string;
  readonly session: string;
  readonly reportedAtMs: number;
  readonly state: BridgeState;
}

/** What a bridge reports one by one, because all of it together may be long. */
interface PartBodies {
  readonly device: BridgedDevice;
  readonly mapping: BridgeMapping;
}
type PartKind = keyof PartBodies;

export interface PendingRequest extends Omit<BridgeRequest, 'request_id' | 'secret'> {
  readonly bridgeId: string;
  readonly requestId: string;
  readonly createdAtMs: number;
  /** Afterwards nobody waits for a result, and the bridge is not asked any more. */
  readonly expiresAtMs: number;
}

interface Row extends Omit<StoredBridge, 'state'> {
  readonly body: string;
}

interface RequestRow {
  readonly requestId: string;
  readonly body: string;
}

const toBridge = ({ body, ...row }: Row): StoredBridge => ({ ...row, state: JSON.parse(body) });

const SELECT = 'SELECT bridge_id, session, reported_at_ms, body FROM bridges';

async function find(sql: Sql, bridgeId: string): Promise<StoredBridge | undefined> {
  const [row] = await sql.query<Row>(`${SELECT} WHERE bridge_id = $1`, [bridgeId]);
  return row && toBridge(row);
}

/** By name. */
async function partsOf<Kind extends PartKind>(
  sql: Sql,
  bridgeId: string,
  kind: Kind,
): Promise<PartBodies[Kind][]> {
  const rows = await sql.query<{ readonly body: string }>(
    'SELECT body FROM bridge_parts WHERE bridge_id = $1 AND kind = $2 ORDER BY name',
    [bridgeId, kind],
  );
  return rows.map(({ body }) => JSON.parse(body));
}

export const reads = {
  find,

  async list(sql: Sql): Promise<StoredBridge[]> {
    return (await sql.query<Row>(`${SELECT} ORDER BY bridge_id LIMIT ${BRIDGES_MAX}`)).map(toBridge);
  },

  devices: (sql: Sql, bridgeId: string) => partsOf(sql, bridgeId, 'device'),
  mappings: (sql: Sql, bridgeId: string) => partsOf(sql, bridgeId, 'mapping'),

  /** What the bridge has not answered yet, in the order in which it was asked. */
  async pending(sql: Sql, bridgeId: string, nowMs: number): Promise<PendingRequest[]> {
    const rows = await sql.query<RequestRow>(
      `SELECT request_id, body FROM bridge_requests
       WHERE bridge_id = $1 AND result IS NULL AND expires_at_ms > $2 ORDER BY request_id LIMIT ${BRIDGE_REQUESTS_MAX}`,
      [bridgeId, nowMs],
    );
    return rows.map(({ body }) => JSON.parse(body));
  },

  /** `undefined` while the bridge has not answered. */
  async result(sql: Sql, requestId: string): Promise<BridgeResult | undefined> {
    const [row] = await sql.query<{ readonly result: string | null }>(
      'SELECT result FROM bridge_requests WHERE request_id = $1',
      [requestId],
    );
    return row?.result == null ? undefined : JSON.parse(row.result);
  },
};

async function count(sql: Sql, from: string, parameters: readonly (string | number)[]): Promise<number> {
  const [row] = await sql.query<{ readonly count: number }>(`SELECT COUNT(*) AS count FROM ${from}`, [
    ...parameters,
  ]);
  return row?.count ?? 0;
}

const MAX_OF = { device: BRIDGE_DEVICES_MAX, mapping: BRIDGE_MAPPINGS_MAX } as const;

/** Replaces the parts of these names. */
async function putParts<Kind extends PartKind>(
  sql: Sql,
  bridgeId: string,
  kind: Kind,
  parts: readonly (readonly [name: string, body: PartBodies[Kind]])[],
): Promise<void> {
  if (parts.length === 0) return;
  const rows = [...new Map(parts)].map(([name, body]) => ({
    bridgeId,
    kind,
    name,
    body: JSON.stringify(body),
  }));
  const onConflict = 'ON CONFLICT (bridge_id, kind, name) DO UPDATE SET body = excluded.body';
  await insertRows(sql, { table: 'bridge_parts', onConflict }, rows);
  const stored = await count(sql, 'bridge_parts WHERE bridge_id = $1 AND kind = $2', [bridgeId, kind]);
  if (stored > MAX_OF[kind]) {
    throw new Refusal('bridge_limit_reached', `a bridge has at most ${MAX_OF[kind]} ${kind}s`);
  }
}

export const writes = {
  /** Stores a report, and the results in it; returns whether the session was known. */
  async report(
    tx: Transaction,
    bridgeId: string,
    report: BridgeReport,
    nowMs: number,
  ): Promise<Committed<{ readonly isKnown: boolean }>> {
    const { sql } = tx;
    const { session, version, started_at, site, journal, devices = [], mappings = [] } = report;
    const before = await find(sql, bridgeId);
    if (before === undefined && (await count(sql, 'bridges', [])) >= BRIDGES_MAX) {
      throw new Refusal('bridge_limit_reached', `there are ${BRIDGES_MAX} bridges already`);
    }
    const isKnown = before?.session === session;
    const state: BridgeState = { version, started_at, site, journal };
    const row = { bridgeId, session, reportedAtMs: nowMs, body: JSON.stringify(state) };
    const onConflict = `ON CONFLICT (bridge_id) DO UPDATE SET session = excluded.session,
      reported_at_ms = excluded.reported_at_ms, body = excluded.body`;
    await insertRows(sql, { table: 'bridges', onConflict }, [row]);
    if (!isKnown) await sql.run('DELETE FROM bridge_parts WHERE bridge_id = $1', [bridgeId]);
    for (const deviceId of report.gone ?? []) {
      await sql.run("DELETE FROM bridge_parts WHERE bridge_id = $1 AND kind = 'device' AND name = $2", [
        bridgeId,
        deviceId,
      ]);
    }
    await putParts(
      sql,
      bridgeId,
      'device',
      devices.map((device) => [device.device_id, device]),
    );
    await putParts(
      sql,
      bridgeId,
      'mapping',
      mappings.map((mapping) => [mapping.name, mapping]),
    );
    for (const result of report.results ?? []) {
      const key = { requestId: result.request_id, bridgeId };
      await updateRows(sql, 'bridge_requests', key, { result: JSON.stringify(result) });
    }
    return committed({ isKnown });
  },

  /** Asks something of a bridge, and removes what nobody waits for any more. */
  async ask(tx: Transaction, request: PendingRequest): Promise<Committed<PendingRequest>> {
    const { bridgeId, requestId, createdAtMs, expiresAtMs } = request;
    await tx.sql.query(`SELECT session FROM bridges WHERE bridge_id = $1 ${tx.sql.forUpdate}`, [bridgeId]);
    await tx.sql.run('DELETE FROM bridge_requests WHERE bridge_id = $1 AND expires_at_ms < $2', [
      bridgeId,
      createdAtMs,
    ]);
    const waiting = await count(tx.sql, 'bridge_requests WHERE bridge_id = $1 AND result IS NULL', [
      bridgeId,
    ]);
    if (waiting >= BRIDGE_REQUESTS_MAX) {
      throw new Refusal('bridge_limit_reached', `${waiting} requests wait for this bridge already`);
    }
    await insertRows(tx.sql, { table: 'bridge_requests' }, [
      { requestId, bridgeId, expiresAtMs, body: JSON.stringify(request), result: null },
    ]);
    return committed(request);
  },

  async remove(tx: Transaction, bridgeId: string): Promise<Committed<StoredBridge | undefined>> {
    const bridge = await find(tx.sql, bridgeId);
    for (const table of ['bridges', 'bridge_parts', 'bridge_requests']) {
      await tx.sql.run(`DELETE FROM ${table} WHERE bridge_id = $1`, [bridgeId]);
    }
    return committed(bridge);
  },
};
