import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { Refusal } from '@granary/contract/errors';
import type { DeviceKind } from '@granary/contract/telemetry/channels';
import { reportingTimes } from '@granary/core/alerts/monitoring';
import { configurationDocument } from '@granary/core/configuration/document';
import { NEVER_SEEN, type Presence } from '@granary/core/devices/status';
import type { Sql, Value } from '@granary/store/sql';
import { scheduleEvaluation } from '@granary/store/tables/alarm-evaluation';
import { logEvents } from '@granary/store/tables/events';
import { readRejections } from '@granary/store/tables/presence';
import { type Committed, committed, evaluateAlerts, eventsLogged } from '../effects.ts';
import { deviceSummary } from './records.ts';

interface DeviceFields {
  readonly deviceId: string;
  readonly kind: DeviceKind;
  readonly name: string;
  readonly model: string;
  readonly firmwareVersion: string;
  readonly facility: string;
  readonly zone: string;
  readonly capacityKg: number | null;
  readonly secretHash: string;
  readonly registeredAtMs: number;
}

/** Which of the two it is depends on the kind of device. */
export type DeviceConfiguration = SiloConfiguration | FieldConfiguration;

export interface NewDevice extends DeviceFields {
  readonly configuration: DeviceConfiguration;
}

export interface StoredDevice extends DeviceFields {
  /** Stands for the device in every other table and call: short, and never given out. */
  readonly deviceNo: number;
  readonly presence: Presence;
}

export interface DeviceFilter {
  readonly kind: DeviceKind;
  /** A device must be in every list that is given. */
  readonly facilities: readonly string[] | null;
  readonly deviceIds: readonly string[] | null;
  readonly afterDeviceId: string | null;
  readonly limit: number;
}

type ReportedState = NonNullable<Presence['reportedState']>;

type DeviceRow = [
  ...[deviceNo: number, deviceId: string, kind: DeviceKind, name: string, model: string, firmware: string],
  ...[facility: string, zone: string, capacityKg: number | null, secretHash: string, registeredAtMs: number],
  ...[lastSeenAtMs: number | null, linkDownAtMs: number | null, reportedState: ReportedState | null],
  ...[reportingIntervalMs: number, offlineDelayMs: number],
];

const SELECT_DEVICE = `
  SELECT device_no, device_id, kind, name, model, firmware_version, facility, zone, capacity_kg, secret_hash,
         registered_at_ms, last_seen_at_ms, link_down_at_ms, reported_state, reporting_interval_ms,
         offline_delay_ms
  FROM devices JOIN presence USING (device_no)`;

function toDevice(row: DeviceRow): StoredDevice {
  const [deviceNo, deviceId, kind, name, model, firmwareVersion, ...more] = row;
  const [facility, zone, capacityKg, secretHash, registeredAtMs, ...presence] = more;
  const [lastSeenAtMs, linkDownAtMs, reportedState, reportingIntervalMs, offlineDelayMs] = presence;
  return {
    ...{ deviceNo, deviceId, kind, name, model, firmwareVersion },
    ...{ facility, zone, capacityKg, secretHash, registeredAtMs },
    presence: { lastSeenAtMs, linkDownAtMs, reportedState, reportingIntervalMs, offlineDelayMs },
  };
}

export async function findDevices(sql: Sql, deviceNos: readonly number[]): Promise<StoredDevice[]> {
  const rows = await sql.query<DeviceRow>(
    `${SELECT_DEVICE} WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no`,
    [JSON.stringify(deviceNos)],
  );
  return rows.map(toDevice);
}

export const reads = {
  async find(sql: Sql, deviceId: string): Promise<StoredDevice | undefined> {
    const [row] = await sql.query<DeviceRow>(`${SELECT_DEVICE} WHERE device_id = $1`, [deviceId]);
    return row && toDevice(row);
  },

  /** In order of device id, so that a page starts where the one before ended. */
  async list(sql: Sql, filter: DeviceFilter): Promise<StoredDevice[]> {
    const params: Value[] = [filter.kind, filter.afterDeviceId ?? '', filter.limit];
    const conditions = ['kind = $1', 'device_id > $2'];
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
  },

  rejections: (sql: Sql, deviceNo: number) => readRejections(sql, deviceNo),
};

export const writes = {
  async register(sql: Sql, device: NewDevice): Promise<Committed<StoredDevice>> {
    const [row] = await sql.query<[deviceNo: number]>(
      `INSERT INTO devices (device_id, kind, name, model, firmware_version, facility, zone, capacity_kg,
                            secret_hash, registered_at_ms)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (device_id) DO NOTHING RETURNING device_no`,
      [
        ...[device.deviceId, device.kind, device.name, device.model, device.firmwareVersion, device.facility],
        ...[device.zone, device.capacityKg, device.secretHash, device.registeredAtMs],
      ],
    );
    if (row === undefined) throw new Refusal('device_exists', `device ${device.deviceId} exists already`);
    const [deviceNo] = row;
    const { configuration, ...fields } = device;
    const presence: Presence = { ...NEVER_SEEN, ...reportingTimes(configuration.reporting) };
    await sql.run(
      'INSERT INTO presence (device_no, reporting_interval_ms, offline_delay_ms) VALUES ($1, $2, $3)',
      [deviceNo, presence.reportingIntervalMs, presence.offlineDelayMs],
    );
    await sql.run('INSERT INTO configurations (device_no, version, body) VALUES ($1, 1, $2)', [
      deviceNo,
      configurationDocument(configuration),
    ]);
    await scheduleEvaluation(sql, [deviceNo]);
    const stored: StoredDevice = { deviceNo, ...fields, presence };
    const atMs = device.registeredAtMs;
    const data = deviceSummary(stored, atMs);
    const registered = { type: 'device.registered', deviceNo, atMs, data } as const;
    await logEvents(sql, [registered]);
    return committed(stored, ...eventsLogged([registered]));
  },

  /** Answers whether there is such a device. */
  async replaceSecret(
    sql: Sql,
    deviceNo: number,
    secretHash: string,
    atMs: number,
  ): Promise<Committed<boolean>> {
    const [row] = await sql.query<[deviceId: string]>(
      'UPDATE devices SET secret_hash = $2 WHERE device_no = $1 RETURNING device_id',
      [deviceNo, secretHash],
    );
    if (row === undefined) return committed(false);
    const [deviceId] = row;
    const data = { device_id: deviceId };
    const replaced = { type: 'device.credentials_replaced', deviceNo, atMs, data } as const;
    await logEvents(sql, [replaced]);
    return committed(true, { kind: 'credentials_replaced', deviceId }, ...eventsLogged([replaced]));
  },

  /** The link ended, or the device said that it would. */
  async recordLinkDown(sql: Sql, deviceNo: number, atMs: number): Promise<Committed<void>> {
    const changed = await sql.run(
      `UPDATE presence SET link_down_at_ms = $2
       WHERE device_no = $1 AND (link_down_at_ms IS NULL OR link_down_at_ms < $2)`,
      [deviceNo, atMs],
    );
    if (changed > 0) await scheduleEvaluation(sql, [deviceNo]);
    return committed(undefined, ...evaluateAlerts([deviceNo]));
  },

  /** The device spoke about itself, so it was also seen. */
  async recordState(
    sql: Sql,
    deviceNo: number,
    state: ReportedState,
    atMs: number,
  ): Promise<Committed<void>> {
    await sql.run(
      `UPDATE presence SET reported_state = $2,
         last_seen_at_ms = CASE WHEN last_seen_at_ms > $3 THEN last_seen_at_ms ELSE $3 END
       WHERE device_no = $1`,
      [deviceNo, state, atMs],
    );
    await scheduleEvaluation(sql, [deviceNo]);
    return committed(undefined, ...evaluateAlerts([deviceNo]));
  },
};
