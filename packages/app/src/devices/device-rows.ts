import type { DeviceGroup } from '@granary/contract/devices/groups';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import type { Purge } from '@granary/core/devices/purge';
import type { Presence } from '@granary/core/devices/status';
import type { Sql, Value } from '@granary/store/sql';

export interface DeviceFields {
  readonly deviceId: string;
  readonly profile: ProfileName;
  readonly name: string;
  readonly model: string;
  readonly firmwareVersion: string;
  readonly facility: string;
  readonly zone: string;
  readonly capacityKg: number | null;
  readonly secretHash: string;
  readonly registeredAtMs: number;
  /** JSON with the sensors that were declared; `null` if there were none. */
  readonly sensorDocument: string | null;
}

export interface StoredDevice extends DeviceFields {
  /** Identifies the device in every other table; short, and never shown to callers. */
  readonly deviceNo: number;
  /** Increases by one with every change by a caller. */
  readonly version: number;
  readonly removedAtMs: number | null;
  /** While its records are being removed. */
  readonly purge?: Purge;
  readonly presence: Presence;
}

export interface DeviceFilter {
  readonly group: DeviceGroup;
  /** A device must be in every given list. */
  readonly facilities: readonly string[] | null;
  readonly deviceIds: readonly string[] | null;
  readonly afterDeviceId: string | null;
  readonly limit: number;
}

export type DeviceRow = [
  deviceNo: number,
  deviceId: string,
  profile: ProfileName,
  name: string,
  model: string,
  firmware: string,
  facility: string,
  zone: string,
  capacityKg: number | null,
  secretHash: string,
  registeredAtMs: number,
  lastSeenAtMs: number | null,
  linkDownAtMs: number | null,
  reportedState: Presence['reportedState'],
  reportingIntervalMs: number,
  offlineDelayMs: number,
  sensorDocument: string | null,
  version: number,
  maintainedSinceMs: number | null,
  maintainedUntilMs: number | null,
  maintenanceReason: string | null,
  maintenanceBy: string | null,
  removedAtMs: number | null,
  purgeStartedAtMs: number | null,
  purgeRows: number,
];

export const SELECT_DEVICE = `
  SELECT device_no, device_id, profile, name, model, firmware_version, facility, zone, capacity_kg, secret_hash,
         registered_at_ms, last_seen_at_ms, link_down_at_ms, reported_state, reporting_interval_ms,
         offline_delay_ms, sensors, version, maintenance_since_ms, maintenance_until_ms, maintenance_reason,
         maintenance_by, removed_at_ms, purge_started_at_ms, purge_rows
  FROM devices JOIN presence USING (device_no)`;

export function toDevice(row: DeviceRow): StoredDevice {
  const [deviceNo, deviceId, profile, name, model, firmwareVersion, ...more] = row;
  const [facility, zone, capacityKg, secretHash, registeredAtMs, ...presence] = more;
  const [lastSeenAtMs, linkDownAtMs, reportedState, reportingIntervalMs, offlineDelayMs, ...others] =
    presence;
  const [sensorDocument, version, sinceMs, untilMs, reason, by, ...removal] = others;
  const [removedAtMs, startedAtMs, rowsRemoved] = removal;
  const actor = by === null ? null : JSON.parse(by);
  const maintenance = sinceMs === null ? null : { sinceMs, untilMs, reason: reason ?? '', by: actor };
  return {
    deviceNo,
    version,
    deviceId,
    profile,
    name,
    model,
    firmwareVersion,
    facility,
    zone,
    capacityKg,
    secretHash,
    registeredAtMs,
    sensorDocument,
    removedAtMs,
    ...(startedAtMs === null ? {} : { purge: { startedAtMs, rowsRemoved } }),
    presence: {
      lastSeenAtMs,
      linkDownAtMs,
      reportedState,
      reportingIntervalMs,
      offlineDelayMs,
      maintenance,
    },
  };
}

export async function findDevice(sql: Sql, deviceId: string): Promise<StoredDevice | undefined> {
  const [row] = await sql.query<DeviceRow>(`${SELECT_DEVICE} WHERE device_id = $1`, [deviceId]);
  return row && toDevice(row);
}

export async function findDevices(sql: Sql, deviceNos: readonly number[]): Promise<StoredDevice[]> {
  const text = `${SELECT_DEVICE} WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no`;
  return (await sql.query<DeviceRow>(text, [JSON.stringify(deviceNos)])).map(toDevice);
}

/** Locks the row of the device, but not its presence, for which every message of the device would have to wait. */
export async function lockDeviceRow(sql: Sql, deviceNo: number): Promise<StoredDevice | undefined> {
  await sql.query(`SELECT device_no FROM devices WHERE device_no = $1 ${sql.forUpdate}`, [deviceNo]);
  const [device] = await findDevices(sql, [deviceNo]);
  return device;
}

/** The registered ones of these devices, locked in the order of their numbers. */
export async function lockDeviceRowsById(sql: Sql, deviceIds: readonly string[]): Promise<StoredDevice[]> {
  const rows = await sql.query<[deviceNo: number]>(
    `SELECT device_no FROM devices WHERE ${sql.isOneOf('device_id', '$1')} ORDER BY device_no ${sql.forUpdate}`,
    [JSON.stringify(deviceIds)],
  );
  return await findDevices(
    sql,
    rows.map(([deviceNo]) => deviceNo),
  );
}

/** Ordered by device id, so that a page starts where the previous one ended. */
export async function listDevices(sql: Sql, filter: DeviceFilter): Promise<StoredDevice[]> {
  const params: Value[] = [filter.group, filter.afterDeviceId ?? '', filter.limit];
  const conditions = ['device_group = $1', 'device_id > $2', 'removed_at_ms IS NULL'];
  for (const [column, allowed] of [
    ['facility', filter.facilities],
    ['device_id', filter.deviceIds],
  ] as const) {
    if (allowed === null) continue;
    params.push(JSON.stringify(allowed));
    conditions.push(sql.isOneOf(column, `$${params.length}`));
  }
  const rows = await sql.query<DeviceRow>(
    `${SELECT_DEVICE} WHERE ${conditions.join(' AND ')} ORDER BY device_id LIMIT $3`,
    params,
  );
  return rows.map(toDevice);
}

/** The ids of devices by their numbers. */
export async function deviceIdsOf(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  return new Map(
    await sql.query<[deviceNo: number, deviceId: string]>(
      `SELECT device_no, device_id FROM devices WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
      [JSON.stringify(deviceNos)],
    ),
  );
}

/** Answers its number, or `undefined` if the id is taken. */
export async function insertDevice(sql: Sql, device: DeviceFields): Promise<number | undefined> {
  const [row] = await sql.query<[deviceNo: number]>(
    `INSERT INTO devices (device_id, device_group, profile, name, model, firmware_version, facility, zone,
                          capacity_kg, secret_hash, registered_at_ms, sensors)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (device_id) DO NOTHING RETURNING device_no`,
    [
      device.deviceId,
      PROFILES[device.profile].group,
      device.profile,
      device.name,
      device.model,
      device.firmwareVersion,
      device.facility,
      device.zone,
      device.capacityKg,
      device.secretHash,
      device.registeredAtMs,
      device.sensorDocument,
    ],
  );
  return row?.[0];
}

/** Answers the id of the device, or `undefined` if there is none. */
export async function saveSecretHash(
  sql: Sql,
  deviceNo: number,
  secretHash: string,
): Promise<string | undefined> {
  const [row] = await sql.query<[deviceId: string]>(
    'UPDATE devices SET secret_hash = $2 WHERE device_no = $1 RETURNING device_id',
    [deviceNo, secretHash],
  );
  return row?.[0];
}

export async function saveMaintenance(
  sql: Sql,
  deviceNo: number,
  maintenance: Presence['maintenance'],
): Promise<void> {
  const { sinceMs = null, untilMs = null, reason = null, by = null } = maintenance ?? {};
  await sql.run(
    `UPDATE devices SET maintenance_since_ms = $2, maintenance_until_ms = $3, maintenance_reason = $4,
                        maintenance_by = $5
     WHERE device_no = $1`,
    [deviceNo, sinceMs, untilMs, reason, by === null ? null : JSON.stringify(by)],
  );
}

export async function saveRemoval(sql: Sql, deviceNo: number, removedAtMs: number): Promise<void> {
  await sql.run('UPDATE devices SET removed_at_ms = $2 WHERE device_no = $1', [deviceNo, removedAtMs]);
}

export async function saveRestoration(sql: Sql, deviceNo: number, secretHash: string): Promise<void> {
  await sql.run('UPDATE devices SET removed_at_ms = NULL, secret_hash = $2 WHERE device_no = $1', [
    deviceNo,
    secretHash,
  ]);
}

/** Writes what a caller can change of a device. */
export async function saveDevice(sql: Sql, device: StoredDevice): Promise<void> {
  await sql.run(
    `UPDATE devices SET name = $2, model = $3, firmware_version = $4, facility = $5, zone = $6, capacity_kg = $7,
                        sensors = $8, version = $9
     WHERE device_no = $1`,
    [
      device.deviceNo,
      device.name,
      device.model,
      device.firmwareVersion,
      device.facility,
      device.zone,
      device.capacityKg,
      device.sensorDocument,
      device.version,
    ],
  );
}
