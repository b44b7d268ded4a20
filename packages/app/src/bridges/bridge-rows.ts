import type { Bridge, BridgedDevice, BridgeMapping, BridgeReport } from '@granary/contract/bridges';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';

/** What a report says of the bridge itself. */
export type BridgeState = Pick<BridgeReport, 'version' | 'started_at' | 'site' | 'journal'>;

/** What lists and metrics show, kept when the bridge reports, so that they read no device and no text. */
export interface BridgeFigures {
  readonly devices: Bridge['devices'];
  readonly journal: Pick<BridgeReport['journal'], 'readings' | 'bytes' | 'dropped'>;
  readonly siteFaults: number;
}

/** A bridge that has reported. */
export interface BridgeSummary {
  readonly bridgeId: string;
  readonly reportedAtMs: number;
  readonly figures: BridgeFigures;
}

export interface StoredBridge extends BridgeSummary {
  readonly state: BridgeState;
}

/** What a bridge reports one by one, because all of it together may be long. */
interface PartBodies {
  readonly device: BridgedDevice;
  readonly mapping: BridgeMapping;
}
export type PartKind = keyof PartBodies;

/** The parts after a name, so that one statement reads few of them. */
export interface PartsWanted {
  readonly after: string;
  readonly limit: number;
}

/** A part as it was reported, with the facility of the device; `null` where there is no such device. */
export interface StoredPart {
  readonly name: string;
  /** As JSON. */
  readonly body: string;
  readonly facility: string | null;
}

const SUMMARY = 'SELECT bridge_id, reported_at_ms, figures';

type Stored<Row extends { readonly figures: unknown }> = Omit<Row, 'figures'> & { readonly figures: string };

const toSummary = ({ figures, ...row }: Stored<BridgeSummary>): BridgeSummary => ({
  ...row,
  figures: JSON.parse(figures),
});

export async function findBridge(sql: Sql, bridgeId: string): Promise<StoredBridge | undefined> {
  const [row] = await sql.query<Stored<BridgeSummary> & { readonly body: string }>(
    `${SUMMARY}, body FROM bridges WHERE bridge_id = $1 AND body IS NOT NULL`,
    [bridgeId],
  );
  if (row === undefined) return undefined;
  const { body, ...summary } = row;
  return { ...toSummary(summary), state: JSON.parse(body) };
}

/** All that have reported. */
export async function listSummaries(sql: Sql): Promise<BridgeSummary[]> {
  const rows = await sql.query<Stored<BridgeSummary>>(
    `${SUMMARY} FROM bridges WHERE body IS NOT NULL ORDER BY bridge_id`,
  );
  return rows.map(toSummary);
}

/** By name. */
export async function listParts(
  sql: Sql,
  bridgeId: string,
  kind: PartKind,
  { after, limit }: PartsWanted,
): Promise<StoredPart[]> {
  return await sql.query<StoredPart>(
    `SELECT parts.name, parts.body, devices.facility
     FROM (SELECT name, body FROM bridge_parts WHERE bridge_id = $1 AND kind = $2 AND name > $3 ORDER BY name LIMIT $4) AS parts
     LEFT JOIN devices ON devices.device_id = parts.name ORDER BY parts.name`,
    [bridgeId, kind, after, limit],
  );
}

/** Those of these names that the bridge has reported. */
export async function findDevices(
  sql: Sql,
  bridgeId: string,
  deviceIds: readonly string[],
): Promise<BridgedDevice[]> {
  const rows = await sql.query<{ readonly body: string }>(
    `SELECT body FROM bridge_parts WHERE bridge_id = $1 AND kind = 'device' AND ${sql.isOneOf('name', '$2')}`,
    [bridgeId, JSON.stringify(deviceIds)],
  );
  return rows.map(({ body }) => JSON.parse(body));
}

export async function removeDevices(sql: Sql, bridgeId: string, deviceIds: readonly string[]): Promise<void> {
  await sql.run(
    `DELETE FROM bridge_parts WHERE bridge_id = $1 AND kind = 'device' AND ${sql.isOneOf('name', '$2')}`,
    [bridgeId, JSON.stringify(deviceIds)],
  );
}

export async function countRows(
  sql: Sql,
  from: string,
  parameters: readonly (string | number)[],
): Promise<number> {
  const [row] = await sql.query<{ readonly count: number }>(`SELECT COUNT(*) AS count FROM ${from}`, [
    ...parameters,
  ]);
  return row?.count ?? 0;
}

/** Replaces the parts of these names. */
export async function putParts<Kind extends PartKind>(
  sql: Sql,
  bridgeId: string,
  kind: Kind,
  parts: ReadonlyMap<string, PartBodies[Kind]>,
): Promise<void> {
  const rows = [...parts].map(([name, body]) => ({ bridgeId, kind, name, body: JSON.stringify(body) }));
  const onConflict = 'ON CONFLICT (bridge_id, kind, name) DO UPDATE SET body = excluded.body';
  await insertRows(sql, { table: 'bridge_parts', onConflict }, rows);
}
