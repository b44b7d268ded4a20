import type { Sql } from '../sql.ts';
import type { DeviceJob, JobTable } from './jobs.ts';
import type { OnUnreadable } from './unreadable-row.ts';

/** Of the unfinished jobs of the devices in the parameter `$1`. */
export const isUnfinished = (sql: Sql): string =>
  `is_finished = 0 AND ${sql.isOneOfNumbers('device_no', '$1')}`;

export async function unfinishedCommands<Command extends DeviceJob>(
  sql: Sql,
  commands: JobTable<Command>,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<Command[]> {
  return await commands.where(sql, isUnfinished(sql), [JSON.stringify(deviceNos)], onUnreadable);
}

/** Those of these devices that have an unfinished emergency stop, also if its body cannot be read. */
export async function devicesWithEmergencyStop(sql: Sql, deviceNos: readonly number[]): Promise<Set<number>> {
  const rows = await sql.query<[deviceNo: number]>(
    `SELECT device_no FROM commands
     WHERE is_finished = 0 AND command = 'emergency_stop' AND ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  return new Set(rows.map(([deviceNo]) => deviceNo));
}
