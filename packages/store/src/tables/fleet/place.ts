import type { Sql, Value } from '../../sql.ts';

/** The parameters of a statement that is built from parts. */
export class Parameters {
  readonly values: Value[] = [];

  /** Returns the placeholder of a further parameter. */
  readonly bind = (value: Value): string => `$${this.values.push(value)}`;
}

/** The devices that a key may access; `null` means no limit. */
export interface AccessLimits {
  readonly facilities: readonly string[] | null;
  readonly deviceIds: readonly string[] | null;
}

/** The devices that a list is about; `null` means that the list does not depend on it. */
export interface DeviceSelection {
  readonly limits: AccessLimits;
  readonly facility: string | null;
  readonly zone: string | null;
  readonly deviceId: string | null;
}

export const isLimited = ({ facilities, deviceIds }: AccessLimits): boolean =>
  facilities !== null || deviceIds !== null;

export const selectsAll = ({ limits, facility, zone, deviceId }: DeviceSelection): boolean =>
  !isLimited(limits) && facility === null && zone === null && deviceId === null;

/** Conditions on the table `devices`. */
export function limitConditions(
  sql: Sql,
  { facilities, deviceIds }: AccessLimits,
  { bind }: Parameters,
): string[] {
  const conditions: string[] = [];
  if (facilities !== null) conditions.push(sql.isOneOf('devices.facility', bind(JSON.stringify(facilities))));
  if (deviceIds !== null) conditions.push(sql.isOneOf('devices.device_id', bind(JSON.stringify(deviceIds))));
  return conditions;
}

/** Conditions on the table `devices`. */
export function selectionConditions(sql: Sql, selection: DeviceSelection, parameters: Parameters): string[] {
  const { limits, facility, zone, deviceId } = selection;
  const { bind } = parameters;
  const conditions = limitConditions(sql, limits, parameters);
  if (facility !== null) conditions.push(`devices.facility = ${bind(facility)}`);
  if (zone !== null) conditions.push(`devices.zone = ${bind(zone)}`);
  if (deviceId !== null) conditions.push(`devices.device_id = ${bind(deviceId)}`);
  return conditions;
}

/** A `WHERE` clause, or nothing. */
export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
