import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { ChannelName } from '@granary/contract/telemetry/channels';
import type { LatestValue, LatestValues } from '@granary/core/telemetry/readings';
import type { Sql } from '../../sql.ts';
import { CHANNELS_IN_GROUP, laneColumns } from './channel-layout.ts';

/** A device and its newest values, both of the same moment. */
export interface CurrentValues {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly profile: ProfileName;
  readonly facility: string;
  readonly capacityKg: number | null;
  readonly reportingIntervalMs: number;
  readonly latest: LatestValues;
}

type LatestRow = (number | null)[];
type CurrentRow = [
  deviceNo: number,
  profile: ProfileName,
  facility: string,
  capacityKg: number | null,
  reportingIntervalMs: number,
  ...LatestRow,
];

const FIELDS = ['value', 'ts_ms', 'bad_value', 'bad_ts_ms'];
const COLUMNS = `sensor_group, ${laneColumns(FIELDS).join(', ')}`;

export async function latestOfDevice(sql: Sql, deviceNo: number): Promise<LatestValues> {
  return toLatest(
    await sql.query<LatestRow>(`SELECT ${COLUMNS} FROM open_buckets WHERE device_no = $1`, [deviceNo]),
  );
}

export async function latestOfDevices(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, LatestValues>> {
  const rows = await sql.query<[deviceNo: number, ...LatestRow]>(
    `SELECT device_no, ${COLUMNS} FROM open_buckets WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  const ofDevices = Map.groupBy(rows, ([deviceNo]) => deviceNo);
  return new Map([...ofDevices].map(([deviceNo, own]) => [deviceNo, toLatest(own.map(([, ...row]) => row))]));
}

export async function currentValues(sql: Sql, deviceId: string): Promise<CurrentValues | undefined> {
  const rows = await sql.query<CurrentRow>(
    `SELECT device_no, profile, facility, capacity_kg, reporting_interval_ms, ${COLUMNS}
     FROM devices JOIN presence USING (device_no) LEFT JOIN open_buckets USING (device_no) WHERE device_id = $1`,
    [deviceId],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const [deviceNo, profile, facility, capacityKg, reportingIntervalMs] = first;
  const latest = toLatest(rows.map(([, , , , , ...values]) => values));
  return { deviceNo, deviceId, profile, facility, capacityKg, reportingIntervalMs, latest };
}

/** Of a good and a bad value the later one counts; of the same time the bad one. */
function toLatest(rows: readonly LatestRow[]): LatestValues {
  const latest: { [C in ChannelName]?: LatestValue } = {};
  for (const [group, ...lanes] of rows) {
    for (const [index, channel] of (CHANNELS_IN_GROUP.get(group ?? 0) ?? []).entries()) {
      const at = FIELDS.length * index;
      const good = valueAt(lanes[at], lanes[at + 1]);
      const bad = valueAt(lanes[at + 2], lanes[at + 3]);
      const newest = bad !== undefined && !(good !== undefined && good.tsMs > bad.tsMs) ? bad : good;
      if (newest !== undefined) latest[channel] = newest;
    }
  }
  return latest;
}

const valueAt = (value: number | null | undefined, tsMs: number | null | undefined) =>
  value == null || tsMs == null ? undefined : { value, tsMs };
