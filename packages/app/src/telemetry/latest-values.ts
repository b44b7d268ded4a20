import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { GroupValues } from '@granary/core/sensors/sensor';
import type { Sql } from '@granary/store/sql';
import { openBucketFigures } from './open-bucket-rows.ts';

/** A device and its latest values, which were read at the same moment. */
export interface CurrentRows {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly profile: ProfileName;
  readonly facility: string;
  readonly capacityKg: number | null;
  readonly reportingIntervalMs: number;
  readonly sensorDocument: string | null;
  readonly latest: readonly GroupValues[];
}

interface LatestRow {
  readonly sensorGroup: number | null;
  readonly body: Uint8Array | null;
}

interface CurrentRow extends Omit<CurrentRows, 'deviceId' | 'sensorDocument' | 'latest'>, LatestRow {
  readonly sensors: string | null;
}

export async function latestOfDevice(sql: Sql, deviceNo: number): Promise<GroupValues[]> {
  return toLatest(
    await sql.query<LatestRow>('SELECT sensor_group, body FROM open_buckets WHERE device_no = $1', [
      deviceNo,
    ]),
  );
}

export async function latestOfDevices(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, GroupValues[]>> {
  const rows = await sql.query<LatestRow & { readonly deviceNo: number }>(
    `SELECT device_no, sensor_group, body FROM open_buckets WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  const ofDevices = Map.groupBy(rows, ({ deviceNo }) => deviceNo);
  return new Map([...ofDevices].map(([deviceNo, own]) => [deviceNo, toLatest(own)]));
}

export async function currentRows(sql: Sql, deviceId: string): Promise<CurrentRows | undefined> {
  const rows = await sql.query<CurrentRow>(
    `SELECT device_no, profile, facility, capacity_kg, reporting_interval_ms, sensors, sensor_group, body
     FROM devices JOIN presence USING (device_no) LEFT JOIN open_buckets USING (device_no) WHERE device_id = $1`,
    [deviceId],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const { deviceNo, profile, facility, capacityKg, reportingIntervalMs, sensors } = first;
  return {
    deviceNo,
    deviceId,
    profile,
    facility,
    capacityKg,
    reportingIntervalMs,
    sensorDocument: sensors,
    latest: toLatest(rows),
  };
}

/** Of a good and a bad value the later one counts; if their times are equal, the bad one counts. */
export const toLatest = (rows: readonly LatestRow[]): GroupValues[] =>
  rows.map(({ sensorGroup, body }) => ({
    group: sensorGroup ?? 0,
    values: openBucketFigures(body).map(({ value, tsMs, badValue, badTsMs }) => {
      const good = valueAt(value, tsMs);
      const bad = valueAt(badValue, badTsMs);
      return bad !== undefined && !(good !== undefined && good.tsMs > bad.tsMs)
        ? { ...bad, isBad: true as const }
        : good;
    }),
  }));

const valueAt = (value: number | null, tsMs: number | null) =>
  value === null || tsMs === null ? undefined : { value, tsMs };
