import type { CommandRecord } from '@granary/contract/commands';
import type { FieldCommand } from '@granary/contract/link/field-messages';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { declaredEndRecord } from '../devices/declared-end.ts';
import { ASKED_AFTER_END_MS_MAX, type CommandState, isEmergencyStop, isEndDeclared } from './state.ts';
import { COMMAND_TIMEOUT_MS } from './transitions.ts';

export const commandRecord = (command: CommandState): CommandRecord => ({
  command_id: command.commandId,
  command: command.command,
  parameters: command.parameters,
  status: command.status,
  status_detail: commandStatusDetail(command),
  created_at: toIso(command.createdAtMs),
  sent_at: toIsoOrNull(command.sentAtMs),
  ended_at: toIsoOrNull(command.endedAtMs),
  expires_at: toIsoOrNull(command.expiresAtMs),
  result: command.result,
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

/** One sentence for a person: what is known, what the service waits for, and until when. */
export function commandStatusDetail(command: CommandState): string {
  if (isEndDeclared(command)) return declaredDetail(command);
  if (isEmergencyStop(command)) return emergencyStopDetail(command);
  const { status, result, expiresAtMs, sentAtMs, lastHeardAtMs, endedAtMs } = command;
  switch (status) {
    case 'queued':
      return `It waits for the device to connect${expiresAtMs === null ? '' : `, until ${toIso(expiresAtMs)}`}.`;
    case 'sent':
      return `It was sent; the device has not answered yet and is asked until ${timeoutAt(sentAtMs ?? command.createdAtMs)}.`;
    case 'executing':
      return `The device carries it out; its next report is awaited until ${timeoutAt(lastHeardAtMs ?? command.createdAtMs)}.`;
    case 'succeeded':
      return 'The device reported that it has carried it out.';
    case 'timed_out':
      return `Its outcome is unknown: the device has not answered and is asked until ${toIso((endedAtMs ?? command.createdAtMs) + ASKED_AFTER_END_MS_MAX)}.`;
    default:
      return sentence(`It ${status === 'failed' ? 'failed' : `was ${OUTCOMES[status]}`}`, result?.message);
  }
}

const OUTCOMES = {
  rejected: 'rejected by the device',
  cancelled: 'cancelled',
  expired: 'not carried out',
} as const;

const timeoutAt = (sinceMs: number): string => toIso(sinceMs + COMMAND_TIMEOUT_MS);

const sentence = (start: string, reason: string | undefined): string =>
  reason === undefined ? `${start}.` : `${start}: ${reason}.`;

function declaredDetail({ command, result, latchedSinceMs }: CommandState): string {
  const what = `It was ${result?.message ?? 'declared ended'}`;
  if (command !== 'emergency_stop') return `${what}.`;
  return latchedSinceMs === null
    ? `${what}; this emergency stop is no longer in force.`
    : `${what}; it is not repeated any more and stays in force until somebody sends release_emergency_stop.`;
}

function emergencyStopDetail({ status, lastAnswer, latchedSinceMs, result }: CommandState): string {
  const isInForce = latchedSinceMs !== null;
  switch (status) {
    case 'queued':
      return 'The device is not connected; it is sent as soon as the device is, and until then nobody knows whether it stands still.';
    case 'sent':
    case 'executing':
      return lastAnswer === null
        ? 'It is repeated every second until the device confirms that it stands still.'
        : `It is repeated every second until the device confirms that it stands still; its last answer: ${lastAnswer}.`;
    case 'succeeded':
      return isInForce
        ? 'The device confirmed that it stands still; it accepts no movement until somebody sends release_emergency_stop.'
        : 'The device confirmed that it stands still; this emergency stop is no longer in force.';
    default:
      return sentence('It ended without a confirmation', result?.message);
  }
}
