import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { GroupValues } from '@granary/core/sensors/sensor';
import type { Sql } from '../../sql.ts';
import { SLOTS, slotColumns } from './lanes.ts';

/** A device and its latest values, both of the same time. */
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

type LatestRow = (number | null)[];
type CurrentRow = [
  deviceNo: number,
  profile: ProfileName,
  facility: string,
  capacityKg: number | null,
  reportingIntervalMs: number,
  sensorDocument: string | null,
  ...LatestRow,
];

const FIELDS = ['value', 'ts_ms', 'bad_value', 'bad_ts_ms'];
const COLUMNS = `sensor_group, ${slotColumns(FIELDS).join(', ')}`;

export async function latestOfDevice(sql: Sql, deviceNo: number): Promise<GroupValues[]> {
  return toLatest(
    await sql.query<LatestRow>(`SELECT ${COLUMNS} FROM open_buckets WHERE device_no = $1`, [deviceNo]),
  );
}

export async function latestOfDevices(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, GroupValues[]>> {
  const rows = await sql.query<[deviceNo: number, ...LatestRow]>(
    `SELECT device_no, ${COLUMNS} FROM open_buckets WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  const ofDevices = Map.groupBy(rows, ([deviceNo]) => deviceNo);
  return new Map([...ofDevices].map(([deviceNo, own]) => [deviceNo, toLatest(own.map(([, ...row]) => row))]));
}

export async function currentRows(sql: Sql, deviceId: string): Promise<CurrentRows | undefined> {
  const rows = await sql.query<CurrentRow>(
    `SELECT device_no, profile, facility, capacity_kg, reporting_interval_ms, sensors, ${COLUMNS}
     FROM devices JOIN presence USING (device_no) LEFT JOIN open_buckets USING (device_no) WHERE device_id = $1`,
    [deviceId],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const [deviceNo, profile, facility, capacityKg, reportingIntervalMs, sensorDocument] = first;
  const latest = toLatest(rows.map(([, , , , , , ...values]) => values));
  return { deviceNo, deviceId, profile, facility, capacityKg, reportingIntervalMs, sensorDocument, latest };
}

/** Of a good and a bad value the later one counts; of the same time the bad one. */
const toLatest = (rows: readonly LatestRow[]): GroupValues[] =>
  rows.map(([group, ...lanes]) => ({
    group: group ?? 0,
    values: SLOTS.map((_, slot) => {
      const at = FIELDS.length * slot;
      const good = valueAt(lanes[at], lanes[at + 1]);
      const bad = valueAt(lanes[at + 2], lanes[at + 3]);
      return bad !== undefined && !(good !== undefined && good.tsMs > bad.tsMs) ? bad : good;
    }),
  }));

const valueAt = (value: number | null | undefined, tsMs: number | null | undefined) =>
  value == null || tsMs == null ? undefined : { value, tsMs };
