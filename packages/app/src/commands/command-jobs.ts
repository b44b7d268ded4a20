import { commandRecord } from '@granary/core/commands/record';
import { COMMAND_DOCUMENT, type CommandState, isCommandFinished } from '@granary/core/commands/state';
import { JobTable } from '@granary/store/tables/jobs';

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
    (before === null || before.endedAtMs !== after.endedAtMs || before.lastAnswer !== after.lastAnswer),
});
