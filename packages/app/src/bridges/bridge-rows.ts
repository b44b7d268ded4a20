import type { Bridge, BridgedDevice, BridgeMapping, BridgeReport } from '@granary/contract/bridges';
import { type BridgedCounts, isUnitDiffering, NO_BRIDGED_DEVICES } from '@granary/core/bridges';
import { isUnlimited, type Limits } from '@granary/core/keys';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { limitConditions, Parameters } from '../conditions.ts';

/** The part of a report that is about the bridge itself. */
export type BridgeState = Pick<BridgeReport, 'version' | 'started_at' | 'site' | 'journal'>;

/** The figures in lists and metrics. They are computed when the bridge reports, so that lists read no devices and no texts. */
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

/** The kinds of parts that a bridge reports one by one, because a report of all parts may be long. */
export type PartKind = 'device' | 'mapping';

/** The parts after a name; the limit keeps each statement short. */
export interface PartsWanted {
  readonly after: string;
  readonly limit: number;
}

/** A part as it was reported, with the facility of the device; the facility is `null` if there is no such device. */
export interface StoredPart {
  readonly name: string;
  /** The body as JSON. */
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

/** Lists all bridges that have reported. */
export async function listSummaries(sql: Sql): Promise<BridgeSummary[]> {
  const rows = await sql.query<Stored<BridgeSummary>>(
    `${SUMMARY} FROM bridges WHERE body IS NOT NULL ORDER BY bridge_id`,
  );
  return rows.map(toSummary);
}

/** Lists the parts in the order of their names. */
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

/** Lists the devices of a bridge within the limits, by id. A device that is not registered is only listed without limits. */
export async function listDevices(
  sql: Sql,
  bridgeId: string,
  limits: Limits,
  wanted: PartsWanted,
): Promise<StoredPart[]> {
  if (isUnlimited(limits)) return await listParts(sql, bridgeId, 'device', wanted);
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = [
    `bridge_id = ${bind(bridgeId)} AND kind = 'device' AND bridge_parts.name > ${bind(wanted.after)}`,
    ...limitConditions(sql, limits, parameters),
  ];
  return await sql.query<StoredPart>(
    `SELECT bridge_parts.name, bridge_parts.body, devices.facility
     FROM bridge_parts JOIN devices ON devices.device_id = bridge_parts.name
     WHERE ${conditions.join(' AND ')} ORDER BY bridge_parts.name LIMIT ${bind(wanted.limit)}`,
    parameters.values,
  );
}

/** The counts of these devices for each bridge; a bridge that has none of them is missing. */
export type CountsOfBridges = ReadonlyMap<string, BridgedCounts>;

/** Counts some of the devices within the limits, by id. The cost depends only on the devices that the caller may see. */
export async function countWithin(
  sql: Sql,
  limits: Limits,
  { after, limit }: PartsWanted,
): Promise<{ readonly counts: CountsOfBridges; readonly next: string | null }> {
  const parameters = new Parameters();
  const conditions = [`device_id > ${parameters.bind(after)}`, ...limitConditions(sql, limits, parameters)];
  const own = await sql.query<{ readonly deviceId: string }>(
    `SELECT device_id FROM devices WHERE ${conditions.join(' AND ')} ORDER BY device_id LIMIT ${parameters.bind(limit)}`,
    parameters.values,
  );
  const counts = new Map<string, BridgedCounts>();
  const rows = await sql.query<CountedParts>(
    `SELECT bridge_id, state, unit_differs, COUNT(*) AS count FROM bridge_parts
     WHERE kind = 'device' AND ${sql.isOneOf('name', '$1')} GROUP BY bridge_id, state, unit_differs`,
    [JSON.stringify(own.map(({ deviceId }) => deviceId))],
  );
  for (const { bridgeId, state, unitDiffers, count } of rows) {
    const sum = counts.get(bridgeId) ?? NO_BRIDGED_DEVICES;
    counts.set(bridgeId, {
      ...sum,
      total: sum.total + count,
      [state]: sum[state] + count,
      unit_differs: sum.unit_differs + unitDiffers * count,
    });
  }
  return { counts, next: own.length < limit ? null : (own.at(-1)?.deviceId ?? null) };
}

interface CountedParts {
  readonly bridgeId: string;
  readonly state: BridgedDevice['state'];
  readonly unitDiffers: 0 | 1;
  readonly count: number;
}

/** Finds the devices with these ids that the bridge has reported. */
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

/** Replaces what the bridge reported about these devices. */
export async function putDevices(
  sql: Sql,
  bridgeId: string,
  devices: ReadonlyMap<string, BridgedDevice>,
): Promise<void> {
  const rows = [...devices].map(([name, device]) => ({
    bridgeId,
    kind: 'device' satisfies PartKind,
    name,
    state: device.state,
    unitDiffers: isUnitDiffering(device) ? 1 : 0,
    body: JSON.stringify(device),
  }));
  const onConflict = `ON CONFLICT (bridge_id, kind, name) DO UPDATE
    SET state = excluded.state, unit_differs = excluded.unit_differs, body = excluded.body`;
  await insertRows(sql, { table: 'bridge_parts', onConflict }, rows);
}

/** Replaces the mappings with these names. */
export async function putMappings(
  sql: Sql,
  bridgeId: string,
  mappings: ReadonlyMap<string, BridgeMapping>,
): Promise<void> {
  const kind: PartKind = 'mapping';
  const rows = [...mappings].map(([name, body]) => ({ bridgeId, kind, name, body: JSON.stringify(body) }));
  const onConflict = 'ON CONFLICT (bridge_id, kind, name) DO UPDATE SET body = excluded.body';
  await insertRows(sql, { table: 'bridge_parts', onConflict }, rows);
}
