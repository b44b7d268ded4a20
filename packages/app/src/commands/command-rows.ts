import { isSameSentence } from '@granary/contract/sentences/english';
import { commandRecord } from '@granary/core/commands/record';
import { COMMAND_DOCUMENT, type CommandState, isCommandFinished } from '@granary/core/commands/state';
import type { Sql } from '@granary/store/sql';
import { isUnfinished, JobTable, type StopRow } from '../jobs/job-rows.ts';
import type { OnUnreadable } from '../unreadable-row.ts';

export const COMMANDS = new JobTable<CommandState>({
  name: 'command',
  idOf: ({ commandId }) => commandId,
  document: COMMAND_DOCUMENT,
  isFinished: isCommandFinished,
  columnsOf: (before, after) => (before === null ? { command: after.command } : {}),
  eventsOf: (before, after) =>
    before?.status === after.status ? [] : [{ type: 'command.status_changed', data: commandRecord(after) }],
  // The alert shows that an emergency stop is not confirmed, and the last answer of the device.
  concernsAlerts: (before, after) =>
    after.command === 'emergency_stop' &&
    (before === null ||
      before.endedAtMs !== after.endedAtMs ||
      !isSameSentence(before.lastAnswer, after.lastAnswer)),
});

export async function unfinishedCommands(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<CommandState[]> {
  return await COMMANDS.where(sql, isUnfinished(sql), [JSON.stringify(deviceNos)], onUnreadable);
}

/** Returns which of these devices have an unfinished emergency stop, even if its body cannot be read. */
export async function devicesWithEmergencyStop(sql: Sql, deviceNos: readonly number[]): Promise<Set<number>> {
  const rows = await sql.query<{ deviceNo: number }>(
    `SELECT device_no FROM commands
     WHERE is_finished = 0 AND command = 'emergency_stop' AND ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  return new Set(rows.map(({ deviceNo }) => deviceNo));
}

/** Lists the emergency stops that devices have not confirmed, each with its device, even if their bodies cannot be read. */
export const unconfirmedStops = (sql: Sql, limit: number): Promise<StopRow[]> =>
  sql.query<StopRow>(
    `SELECT device_id, command_id AS id FROM commands JOIN devices USING (device_no)
     WHERE status IN ('queued', 'sent', 'executing') AND command = 'emergency_stop'
     ORDER BY command_no DESC LIMIT $1`,
    [limit],
  );
