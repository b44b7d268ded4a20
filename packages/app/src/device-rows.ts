import type { Labels } from '@granary/contract/devices/labels';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import type { ChangedField } from '@granary/core/devices/change-device';
import type { Presence } from '@granary/core/devices/status';
import type { Purge } from '@granary/core/fleet/removal';
import type { Limits } from '@granary/core/keys';
import { insertRows, insertRowsUnawaited, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { limitConditions, Parameters, where } from './conditions.ts';
import { refuseOutside } from './rights.ts';
import { makeOpenBuckets } from './telemetry/open-bucket-rows.ts';
import type { Transaction } from './transaction.ts';

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
  readonly labels: Labels;
}

export interface StoredDevice extends DeviceFields {
  /** The number that identifies the device in every other table. It is short and never shown to callers. */
  readonly deviceNo: number;
  /** Increases by one with every change by a caller. */
  readonly version: number;
  readonly removedAtMs: number | null;
  /** The purge, while the records of the device are being removed. */
  readonly purge?: Purge;
  readonly presence: Presence;
}

export interface DeviceFilter {
  readonly group: DeviceGroup;
  readonly limits: Limits;
  readonly afterDeviceId: string | null;
  readonly limit: number;
}

export interface DeviceRow
  extends Omit<DeviceFields, 'sensorDocument' | 'labels'>,
    Pick<StoredDevice, 'deviceNo' | 'version' | 'removedAtMs'>,
    Omit<Presence, 'maintenance'> {
  readonly sensors: string | null;
  readonly labels: string | null;
  readonly maintenanceSinceMs: number | null;
  readonly maintenanceUntilMs: number | null;
  readonly maintenanceReason: string | null;
  readonly maintenanceBy: string | null;
  readonly purgeStartedAtMs: number | null;
  readonly purgeRows: number;
}

const NO_LABELS: Labels = {};

export const SELECT_DEVICE = `
  SELECT device_no, device_id, profile, name, model, firmware_version, facility, zone, capacity_kg, secret_hash,
         registered_at_ms, last_seen_at_ms, link_down_at_ms, reported_state, reporting_interval_ms,
         offline_delay_ms, sensors, labels, version, maintenance_since_ms, maintenance_until_ms, maintenance_reason,
         maintenance_by, removed_at_ms, purge_started_at_ms, purge_rows
  FROM devices JOIN presence USING (device_no)`;

/** Names each field, because copying the rest of an object with so many fields is slow, and lists have a thousand devices. */
export function toDevice(row: DeviceRow): StoredDevice {
  const { maintenanceSinceMs: sinceMs, maintenanceBy, purgeStartedAtMs } = row;
  const maintenance =
    sinceMs === null
      ? null
      : {
          sinceMs,
          untilMs: row.maintenanceUntilMs,
          reason: row.maintenanceReason ?? '',
          by: maintenanceBy === null ? null : JSON.parse(maintenanceBy),
        };
  const device = {
    deviceNo: row.deviceNo,
    deviceId: row.deviceId,
    profile: row.profile,
    name: row.name,
    model: row.model,
    firmwareVersion: row.firmwareVersion,
    facility: row.facility,
    zone: row.zone,
    capacityKg: row.capacityKg,
    secretHash: row.secretHash,
    registeredAtMs: row.registeredAtMs,
    version: row.version,
    removedAtMs: row.removedAtMs,
    sensorDocument: row.sensors,
    labels: row.labels === null ? NO_LABELS : JSON.parse(row.labels),
    presence: {
      lastSeenAtMs: row.lastSeenAtMs,
      linkDownAtMs: row.linkDownAtMs,
      reportedState: row.reportedState,
      reportingIntervalMs: row.reportingIntervalMs,
      offlineDelayMs: row.offlineDelayMs,
      maintenance,
    },
  };
  return purgeStartedAtMs === null
    ? device
    : { ...device, purge: { startedAtMs: purgeStartedAtMs, rowsRemoved: row.purgeRows } };
}

export async function findDevice(sql: Sql, deviceId: string): Promise<StoredDevice | undefined> {
  const [row] = await sql.query<DeviceRow>(`${SELECT_DEVICE} WHERE device_id = $1`, [deviceId]);
  return row && toDevice(row);
}

export async function findDevices(sql: Sql, deviceNos: readonly number[]): Promise<StoredDevice[]> {
  const text = `${SELECT_DEVICE} WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no`;
  return (await sql.query<DeviceRow>(text, [JSON.stringify(deviceNos)])).map(toDevice);
}

/** The data that every node keeps in memory for each device. */
export type KnownDevice = Pick<
  StoredDevice,
  'deviceNo' | 'deviceId' | 'profile' | 'facility' | 'capacityKg' | 'secretHash' | 'removedAtMs'
>;

const SELECT_KNOWN_DEVICE =
  'SELECT device_no, device_id, profile, facility, capacity_kg, secret_hash, removed_at_ms FROM devices';

/** Lists the devices in the order of their numbers. */
export const listKnownDevices = (sql: Sql, afterDeviceNo: number, limit: number): Promise<KnownDevice[]> =>
  sql.query<KnownDevice>(`${SELECT_KNOWN_DEVICE} WHERE device_no > $1 ORDER BY device_no LIMIT $2`, [
    afterDeviceNo,
    limit,
  ]);

export const findKnownDevices = (sql: Sql, deviceIds: readonly string[]): Promise<KnownDevice[]> =>
  sql.query<KnownDevice>(`${SELECT_KNOWN_DEVICE} WHERE ${sql.isOneOf('device_id', '$1')}`, [
    JSON.stringify(deviceIds),
  ]);

/** Locks the row of the device, but not its presence, for which every message of the device would have to wait. */
export async function lockDeviceRow(tx: Transaction, deviceNo: number): Promise<StoredDevice | undefined> {
  const { sql } = tx;
  await sql.query(`SELECT device_no FROM devices WHERE device_no = $1 ${sql.forUpdate}`, [deviceNo]);
  await refuseOutside(tx, deviceNo);
  const [device] = await findDevices(sql, [deviceNo]);
  return device;
}

/** Locks those of these devices that are registered, in the order of their numbers. */
export async function lockDeviceRowsById(sql: Sql, deviceIds: readonly string[]): Promise<StoredDevice[]> {
  const rows = await sql.query<{ deviceNo: number }>(
    `SELECT device_no FROM devices WHERE ${sql.isOneOf('device_id', '$1')} ORDER BY device_no ${sql.forUpdate}`,
    [JSON.stringify(deviceIds)],
  );
  return await findDevices(
    sql,
    rows.map(({ deviceNo }) => deviceNo),
  );
}

/** Lists the devices in the order of their ids, so that a page starts where the previous one ended. */
export async function listDevices(sql: Sql, filter: DeviceFilter): Promise<StoredDevice[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = [
    `device_group = ${bind(filter.group)}`,
    `device_id > ${bind(filter.afterDeviceId ?? '')}`,
    'removed_at_ms IS NULL',
    ...limitConditions(sql, filter.limits, parameters),
  ];
  const rows = await sql.query<DeviceRow>(
    `${SELECT_DEVICE} ${where(conditions)} ORDER BY device_id LIMIT ${bind(filter.limit)}`,
    parameters.values,
  );
  return rows.map(toDevice);
}

/** The ids of devices by their numbers. */
export async function deviceIdsOf(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await sql.query<Pick<StoredDevice, 'deviceNo' | 'deviceId'>>(
    `SELECT device_no, device_id FROM devices WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  return new Map(rows.map(({ deviceNo, deviceId }) => [deviceNo, deviceId]));
}

/** Returns the new device numbers by id, or `undefined` if one of the ids is taken: then the transaction must not be committed. */
export async function insertDevices(
  sql: Sql,
  devices: readonly DeviceFields[],
): Promise<ReadonlyMap<string, number> | undefined> {
  const rows = devices.map((device) => ({
    deviceId: device.deviceId,
    deviceGroup: PROFILES[device.profile].group,
    profile: device.profile,
    name: device.name,
    model: device.model,
    firmwareVersion: device.firmwareVersion,
    facility: device.facility,
    zone: device.zone,
    capacityKg: device.capacityKg,
    secretHash: device.secretHash,
    registeredAtMs: device.registeredAtMs,
    sensors: device.sensorDocument,
    labels: labelDocument(device.labels),
  }));
  const target = { table: 'devices', onConflict: 'ON CONFLICT (device_id) DO NOTHING' };
  if ((await insertRows(sql, target, rows)) < rows.length) return undefined;
  const stored = await sql.query<Pick<StoredDevice, 'deviceId' | 'deviceNo'>>(
    `SELECT device_id, device_no FROM devices WHERE ${sql.isOneOf('device_id', '$1')}`,
    [JSON.stringify(devices.map(({ deviceId }) => deviceId))],
  );
  const numbers = new Map(stored.map(({ deviceId, deviceNo }) => [deviceId, deviceNo]));
  const labels = devices.flatMap((device) => labelRows(numbers.get(device.deviceId) ?? 0, device.labels));
  await insertRowsUnawaited(sql, { table: 'device_labels' }, labels);
  return numbers;
}

const labelDocument = (labels: Labels): string | null =>
  Object.keys(labels).length === 0 ? null : JSON.stringify(labels);

/** The rows by which devices are found; the document in `devices` has the labels that are shown. */
const labelRows = (deviceNo: number, labels: Labels) =>
  Object.entries(labels).map(([name, value]) => ({ name, value, deviceNo }));

/** Returns the id of the device, or `undefined` if there is none. */
export async function saveSecretHash(
  sql: Sql,
  deviceNo: number,
  secretHash: string,
): Promise<string | undefined> {
  const [row] = await sql.query<{ deviceId: string }>(
    'UPDATE devices SET secret_hash = $2 WHERE device_no = $1 RETURNING device_id',
    [deviceNo, secretHash],
  );
  return row?.deviceId;
}

export async function saveMaintenance(
  sql: Sql,
  deviceNo: number,
  maintenance: Presence['maintenance'],
): Promise<void> {
  const { sinceMs = null, untilMs = null, reason = null, by = null } = maintenance ?? {};
  await updateRows(
    sql,
    'devices',
    { deviceNo },
    {
      maintenanceSinceMs: sinceMs,
      maintenanceUntilMs: untilMs,
      maintenanceReason: reason,
      maintenanceBy: by === null ? null : JSON.stringify(by),
    },
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

/** Writes the fields of a device that a caller can change. */
export async function saveDevice(
  sql: Sql,
  device: StoredDevice,
  changed: readonly ChangedField[],
): Promise<void> {
  const { deviceNo, name, model, firmwareVersion, facility, zone, capacityKg, version, labels } = device;
  const documents = { sensors: device.sensorDocument, labels: labelDocument(labels) };
  const fields = { name, model, firmwareVersion, facility, zone, capacityKg, version, ...documents };
  await updateRows(sql, 'devices', { deviceNo }, fields);
  if (changed.includes('sensors')) await makeOpenBuckets(sql, [device]);
  if (!changed.includes('labels')) return;
  await sql.runUnawaited('DELETE FROM device_labels WHERE device_no = $1', [deviceNo]);
  await insertRowsUnawaited(sql, { table: 'device_labels' }, labelRows(deviceNo, labels));
}
