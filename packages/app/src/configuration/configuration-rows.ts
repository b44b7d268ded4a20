import { siteZone } from '@granary/common/site-zone';
import type { Actor } from '@granary/contract/audit';
import { FACILITY_ZONES_MAX } from '@granary/contract/fleet';
import type { DeviceConfiguration, ProfileName } from '@granary/contract/profiles/profiles';
import { UNLIMITED } from '@granary/core/keys';
import { insertRowsUnawaited, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type DeviceSelection, Parameters, selectionConditions, where } from '../conditions.ts';
import type { Transaction } from '../transaction.ts';

export interface ConfigurationRow {
  readonly deviceId: string;
  readonly profile: ProfileName;
  /** Increases by one with every change. */
  readonly version: number;
  /** JSON whose schema depends on the profile of the device. */
  readonly body: string;
}

export async function findConfiguration(sql: Sql, deviceNo: number): Promise<ConfigurationRow | undefined> {
  const [row] = await sql.query<ConfigurationRow>(
    `SELECT device_id, profile, configurations.version, body FROM configurations JOIN devices USING (device_no) WHERE device_no = $1`,
    [deviceNo],
  );
  return row;
}

/** Locks the configuration, so that nobody else changes it before the transaction ends. */
export async function lockConfiguration(sql: Sql, deviceNo: number): Promise<ConfigurationRow | undefined> {
  await sql.query(`SELECT version FROM configurations WHERE device_no = $1 ${sql.forUpdate}`, [deviceNo]);
  return await findConfiguration(sql, deviceNo);
}

/** Locks the configurations and returns their versions and bodies by device number. */
export async function lockConfigurations(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, Pick<ConfigurationRow, 'version' | 'body'>>> {
  const rows = await sql.query<{ deviceNo: number; version: number; body: string }>(
    `SELECT device_no, version, body FROM configurations WHERE ${sql.isOneOfNumbers('device_no', '$1')}
     ORDER BY device_no ${sql.forUpdate}`,
    [JSON.stringify(deviceNos)],
  );
  return new Map(rows.map(({ deviceNo, version, body }) => [deviceNo, { version, body }]));
}

/** The bodies by device number. */
export async function configurationsOf(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await sql.query<{ deviceNo: number; body: string }>(
    `SELECT device_no, body FROM configurations WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  return new Map(rows.map(({ deviceNo, body }) => [deviceNo, body]));
}

interface FirstConfiguration {
  readonly deviceNo: number;
  readonly atMs: number;
  readonly timeZone: string | null;
  readonly body: string;
}

/** The first configurations of new devices. */
export async function insertConfigurations(
  tx: Transaction,
  configurations: readonly FirstConfiguration[],
): Promise<void> {
  const rows = configurations.map(({ deviceNo, timeZone, body }) => ({
    deviceNo,
    version: 1,
    timeZone,
    body,
  }));
  await insertRowsUnawaited(tx.sql, { table: 'configurations' }, rows);
  await insertVersions(
    tx,
    configurations.map(({ deviceNo, atMs, body }) => ({ deviceNo, atMs, body, version: 1 })),
  );
}

export async function saveConfiguration(
  sql: Sql,
  deviceNo: number,
  {
    version,
    timeZone,
    body,
  }: Pick<ConfigurationRow, 'version' | 'body'> & { readonly timeZone: string | null },
): Promise<void> {
  await updateRows(sql, 'configurations', { deviceNo }, { version, timeZone, body });
}

/** Returns the time zone of the site of a device; `null` if it is no silo, or if its configuration names none. */
export const timeZoneOf = (configuration: DeviceConfiguration): string | null =>
  'time_zone' in configuration ? (configuration.time_zone ?? null) : null;

export interface FacilityZone {
  readonly facility: string;
  readonly timeZone: string;
}

/** Lists the time zones in the configurations of the selected silos, with their facilities. */
export async function facilityZones(sql: Sql, selection: DeviceSelection): Promise<FacilityZone[]> {
  const parameters = new Parameters();
  const conditions = [
    'time_zone IS NOT NULL',
    'removed_at_ms IS NULL',
    ...selectionConditions(sql, selection, parameters),
  ];
  return await sql.query<FacilityZone>(
    `SELECT facility, time_zone FROM configurations JOIN devices USING (device_no) ${where(conditions)}
     GROUP BY facility, time_zone ORDER BY facility, time_zone LIMIT ${parameters.bind(FACILITY_ZONES_MAX)}`,
    parameters.values,
  );
}

export interface ConfigurationVersionRow {
  readonly version: number;
  readonly atMs: number;
  readonly actor: Actor | null;
  /** The body, in the same form as in `configurations`. */
  readonly body: string;
}

type NewVersion = Omit<ConfigurationVersionRow, 'actor'> & { readonly deviceNo: number };

/** Inserts the versions with the actor of the write. */
export async function insertVersions(tx: Transaction, versions: readonly NewVersion[]): Promise<void> {
  const actor = tx.actor === null ? null : JSON.stringify(tx.actor);
  const rows = versions.map(({ deviceNo, version, atMs, body }) => ({
    deviceNo,
    version,
    atMs,
    actor,
    body,
  }));
  await insertRowsUnawaited(tx.sql, { table: 'configuration_versions' }, rows);
}

export async function removeVersionsUpTo(sql: Sql, deviceNo: number, version: number): Promise<void> {
  await sql.run('DELETE FROM configuration_versions WHERE device_no = $1 AND version <= $2', [
    deviceNo,
    version,
  ]);
}

/** Lists the versions, newest first. */
export async function listVersions(
  sql: Sql,
  deviceNo: number,
  beforeVersion: number | null,
  limit: number,
): Promise<ConfigurationVersionRow[]> {
  const rows = await sql.query<Omit<ConfigurationVersionRow, 'actor'> & { readonly actor: string | null }>(
    `SELECT version, at_ms, actor, body FROM configuration_versions WHERE device_no = $1 AND version < $2
     ORDER BY version DESC LIMIT $3`,
    [deviceNo, beforeVersion ?? Number.MAX_SAFE_INTEGER, limit],
  );
  return rows.map((row) => ({ ...row, actor: row.actor === null ? null : JSON.parse(row.actor) }));
}

export interface PlacedDevice {
  readonly deviceNo: number;
  readonly facility: string;
}

/**
 * Returns the time zone of the site of each device, by device number: the zone in the configuration of the silo, that of the
 * silos of its facility, or that of the service.
 */
export async function zonesOfDevices(
  sql: Sql,
  devices: readonly PlacedDevice[],
  ofService: string,
): Promise<ReadonlyMap<number, string>> {
  const own = await sql.query<{ deviceNo: number; timeZone: string }>(
    `SELECT device_no, time_zone FROM configurations
     WHERE time_zone IS NOT NULL AND ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(devices.map(({ deviceNo }) => deviceNo))],
  );
  const zones = new Map(own.map(({ deviceNo, timeZone }) => [deviceNo, timeZone]));
  const others = Map.groupBy(
    devices.filter(({ deviceNo }) => !zones.has(deviceNo)),
    ({ facility }) => facility,
  );
  for (const [facility, ofFacility] of others) {
    const named = await facilityZones(sql, {
      limits: UNLIMITED,
      facility,
      zone: null,
      deviceId: null,
      labels: [],
    });
    const zone =
      siteZone(
        named.map(({ timeZone }) => timeZone),
        ofService,
      ) ?? ofService;
    for (const { deviceNo } of ofFacility) zones.set(deviceNo, zone);
  }
  return zones;
}
