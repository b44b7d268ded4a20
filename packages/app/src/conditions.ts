import type { WantedLabel } from '@granary/contract/devices/label-match';
import { isUnlimited, type Limits } from '@granary/core/keys';
import type { Sql, Value } from '@granary/store/sql';

/** The parameters of a statement that is built from parts. */
export class Parameters {
  readonly values: Value[] = [];

  /** Returns the placeholder of a further parameter. */
  readonly bind = (value: Value): string => `$${this.values.push(value)}`;
}

/** The devices that a list selects; a property that is `null` does not restrict the list. */
export interface DeviceSelection {
  readonly limits: Limits;
  readonly facility: string | null;
  readonly zone: string | null;
  readonly deviceId: string | null;
  /** A device must have all of these labels. */
  readonly labels?: readonly WantedLabel[];
}

export const selectsAll = ({ limits, facility, zone, deviceId, labels = [] }: DeviceSelection): boolean =>
  isUnlimited(limits) && facility === null && zone === null && deviceId === null && labels.length === 0;

/** Returns conditions on the table `devices`, or on another one with these columns; there are none without limits. */
export function limitConditions(
  sql: Sql,
  limits: Limits,
  { bind }: Parameters,
  table: 'devices' | 'audit' = 'devices',
): string[] {
  if (isUnlimited(limits)) return [];
  const areas = limits.map(({ facilities, deviceIds }) => {
    const conditions: string[] = [];
    // Without IS TRUE, PostgreSQL would join with the names and read all of them for each device; with it, PostgreSQL looks them up.
    if (facilities !== null)
      conditions.push(`(${sql.isOneOf(`${table}.facility`, bind(JSON.stringify(facilities)))}) IS TRUE`);
    if (deviceIds !== null)
      conditions.push(sql.isOneOf(`${table}.device_id`, bind(JSON.stringify(deviceIds))));
    return conditions;
  });
  const [only = ['1 = 0']] = areas;
  return areas.length > 1 ? [`(${areas.map((area) => area.join(' AND ')).join(' OR ')})`] : only;
}

/** Returns conditions on the table `devices`. */
export function selectionConditions(sql: Sql, selection: DeviceSelection, parameters: Parameters): string[] {
  const { limits, facility, zone, deviceId, labels = [] } = selection;
  const { bind } = parameters;
  const conditions = limitConditions(sql, limits, parameters);
  if (facility !== null) conditions.push(`devices.facility = ${bind(facility)}`);
  if (zone !== null) conditions.push(`devices.zone = ${bind(zone)}`);
  if (deviceId !== null) conditions.push(`devices.device_id = ${bind(deviceId)}`);
  for (const { name, value } of labels) {
    const ofValue = value === null ? '' : ` AND value = ${bind(value)}`;
    const query = `SELECT device_no FROM device_labels WHERE name = ${bind(name)}${ofValue}`;
    conditions.push(sql.isFound('devices.device_no', query));
  }
  return conditions;
}

/** A `WHERE` clause, or nothing. */
export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;

/** The time for which the status of devices is computed, and how many reports an online device may have missed. */
export interface StatusClock {
  readonly nowMs: number;
  readonly missedReportsMax: number;
}

/** The status of a device from its rows of `devices` and `presence`, by the rule of `deviceStatus` in core; a test compares both. */
export function statusExpression({ nowMs, missedReportsMax }: StatusClock, { bind }: Parameters): string {
  return `CASE
    WHEN maintenance_since_ms <= ${bind(nowMs)}
      AND (maintenance_until_ms IS NULL OR maintenance_until_ms > ${bind(nowMs)}) THEN 'maintenance'
    WHEN last_seen_at_ms IS NULL OR ${bind(nowMs)} - last_seen_at_ms > ${bind(missedReportsMax)} * reporting_interval_ms
      OR (link_down_at_ms IS NOT NULL AND link_down_at_ms >= last_seen_at_ms) THEN 'offline'
    WHEN reported_state = 'maintenance' THEN 'maintenance' ELSE 'online' END`;
}
