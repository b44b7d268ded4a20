import type { CommandRecord } from '@granary/contract/commands';
import type { FieldCommand } from '@granary/contract/link/field-messages';
import { statusOf } from '@granary/contract/sentences/english';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { declaredEndRecord, endedRecord } from '../jobs/declared-end.ts';
import { commandStatusDetail } from './sentences.ts';
import type { CommandState } from './state.ts';

export const commandRecord = (command: CommandState): CommandRecord => ({
  command_id: command.commandId,
  command: command.command,
  parameters: command.parameters,
  status: command.status,
  ...statusOf(commandStatusDetail(command)),
  created_at: toIso(command.createdAtMs),
  sent_at: toIsoOrNull(command.sentAtMs),
  ended_at: toIsoOrNull(command.endedAtMs),
  expires_at: toIsoOrNull(command.expiresAtMs),
  result: endedRecord(command.result),
  declared: declaredEndRecord(command.declared),
  requested_by: command.requestedBy,
});

export function commandMessage(command: CommandState, send: 'execute' | 'report'): FieldCommand {
  const { commandId: command_id } = command;
  if (send === 'report') return { command: 'report', command_id };
  return {
    command: 'execute',
    command_id,
    name: command.command,
    parameters: command.parameters,
    expires_at: toIsoOrNull(command.expiresAtMs),
  };
}
