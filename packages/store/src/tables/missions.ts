import type { Sql } from '../sql.ts';
import type { DeviceJob, JobTable } from './jobs.ts';
import type { OnUnreadable } from './unreadable-row.ts';

/** Of the mission that ended last of each of the devices in the parameter `$1`. */
export const isLastEnded = (sql: Sql): string =>
  sql.isFound(
    'mission_no',
    `SELECT (SELECT mission_no FROM missions AS own
             WHERE own.device_no = alert_evaluations.device_no AND own.ended_at_ms IS NOT NULL
             ORDER BY own.ended_at_ms DESC, own.mission_no DESC LIMIT 1)
     FROM alert_evaluations WHERE ${sql.isOneOfNumbers('alert_evaluations.device_no', '$1')}`,
  );

/** Of the missions of the devices in the parameter `$1` that were sent and have not ended. */
export const isUnderWay = (sql: Sql): string =>
  `ended_at_ms IS NULL AND status <> 'scheduled' AND ${sql.isOneOfNumbers('device_no', '$1')}`;

/** The missions of these devices that were sent and have not ended. */
export async function missionsUnderWay<Mission extends DeviceJob>(
  sql: Sql,
  missions: JobTable<Mission>,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<Mission[]> {
  return await missions.where(sql, isUnderWay(sql), [JSON.stringify(deviceNos)], onUnreadable);
}

/** At most `limit` of a device's missions that have not ended. */
export async function missionsNotEnded<Mission extends DeviceJob>(
  sql: Sql,
  missions: JobTable<Mission>,
  deviceNo: number,
  limit: number,
): Promise<Mission[]> {
  const condition = `mission_no IN (
    SELECT mission_no FROM missions WHERE device_no = $1 AND ended_at_ms IS NULL ORDER BY mission_no LIMIT $2)`;
  return await missions.where(sql, condition, [deviceNo, limit]);
}
