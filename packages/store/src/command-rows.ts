import {
  type CommandState,
  commandRecord,
  isCommandSettled,
  restoreCommand,
} from '@granary/core/command-state';
import { Errands } from './errands.ts';
import type { OnUnreadable } from './set-aside.ts';
import type { Sql } from './sql.ts';

export const COMMANDS = new Errands<CommandState>({
  name: 'command',
  idOf: ({ commandId }) => commandId,
  restore: restoreCommand,
  isSettled: isCommandSettled,
  columnsOf: (before, after) => (before === null ? { command: after.command } : {}),
  eventsOf: (before, after) => (before?.status === after.status ? [] : ['command.status_changed']),
  recordOf: commandRecord,
  // An alert about a device that is offline tells whether somebody waits for it to stop.
  concernsAlerts: (before, after) =>
    after.command === 'emergency_stop' && (before === null || before.endedAtMs !== after.endedAtMs),
});

export async function unsettledCommands(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<CommandState[]> {
  const condition = `is_settled = 0 AND ${sql.isOneOfNumbers('device_no', '$1')}`;
  return await COMMANDS.where(sql, condition, [JSON.stringify(deviceNos)], onUnreadable);
}
