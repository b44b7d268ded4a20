import { isSameSentence } from '@granary/contract/sentences/english';
import { commandRecord } from '@granary/core/commands/record';
import { COMMAND_DOCUMENT, type CommandState, isCommandFinished } from '@granary/core/commands/state';
import type { Sql } from '@granary/store/sql';
import { isUnfinished, JobTable } from '../jobs/job-rows.ts';
import type { OnUnreadable } from '../unreadable-row.ts';

export const COMMANDS = new JobTable<CommandState>({
  name: 'command',
  idOf: ({ commandId }) => commandId,
  document: COMMAND_DOCUMENT,
  isFinished: isCommandFinished,
  columnsOf: (before, after) => (before === null ? { command: after.command } : {}),
  eventsOf: (before, after) =>
    before?.status === after.status ? [] : [{ type: 'command.status_changed', data: commandRecord(after) }],
  // An alert shows that an emergency stop is not confirmed, and the last answer of the device.
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

/** Those of these devices that have an unfinished emergency stop, also if its body cannot be read. */
export async function devicesWithEmergencyStop(sql: Sql, deviceNos: readonly number[]): Promise<Set<number>> {
  const rows = await sql.query<{ deviceNo: number }>(
    `SELECT device_no FROM commands
     WHERE is_finished = 0 AND command = 'emergency_stop' AND ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  return new Set(rows.map(({ deviceNo }) => deviceNo));
}
