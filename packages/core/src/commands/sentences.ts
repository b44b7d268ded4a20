import { sentence } from '@granary/contract/sentences/codes';
import type { COMMAND_DETAILS } from '@granary/contract/sentences/jobs';
import type { Sentence } from '@granary/contract/sentences/sentence';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import {
  ASKED_AFTER_END_MS_MAX,
  COMMAND_TIMEOUT_MS,
  type CommandState,
  isEmergencyStop,
  isEndDeclared,
} from './state.ts';

/** The `status_detail` of a stop or an emergency stop that could not be stored. */
export const unstoredStopDetail = (isSent: boolean) =>
  sentence(isSent ? 'stop_sent_not_stored' : 'stop_waits_not_stored');

type Detail = Sentence<keyof typeof COMMAND_DETAILS>;

/** The sentence says what is known, what the service waits for, and until when. */
export function commandStatusDetail(command: CommandState): Detail {
  if (isEndDeclared(command)) return declaredDetail(command);
  if (isEmergencyStop(command)) return emergencyStopDetail(command);
  const { status, result, expiresAtMs, sentAtMs, lastHeardAtMs, endedAtMs, createdAtMs } = command;
  const timeoutAt = (sinceMs: number | null): string => toIso((sinceMs ?? createdAtMs) + COMMAND_TIMEOUT_MS);
  switch (status) {
    case 'queued':
      return sentence('command_queued', { until: toIsoOrNull(expiresAtMs) });
    case 'sent':
      return sentence('command_sent', { until: timeoutAt(sentAtMs) });
    case 'executing':
      return sentence('command_executing', { until: timeoutAt(lastHeardAtMs) });
    case 'succeeded':
      return sentence('command_succeeded');
    case 'timed_out':
      return sentence('command_timed_out', {
        until: toIso((endedAtMs ?? createdAtMs) + ASKED_AFTER_END_MS_MAX),
      });
    default:
      return sentence(`command_${status}`, { why: result?.message ?? null });
  }
}

function declaredDetail({ command, result, latchedSinceMs }: CommandState): Detail {
  const why = result?.message ?? sentence('was_cancelled');
  if (command !== 'emergency_stop') return sentence('command_end_declared', { why });
  return latchedSinceMs === null
    ? sentence('emergency_stop_declared_released', { why })
    : sentence('emergency_stop_declared', { why });
}

function emergencyStopDetail({ status, lastAnswer, latchedSinceMs, result }: CommandState): Detail {
  switch (status) {
    case 'queued':
      return sentence('emergency_stop_waits');
    case 'sent':
    case 'executing':
      return sentence('emergency_stop_repeated', { answer: lastAnswer });
    case 'succeeded':
      return sentence(latchedSinceMs === null ? 'emergency_stop_released' : 'emergency_stop_confirmed');
    default:
      return sentence('emergency_stop_ended', { why: result?.message ?? null });
  }
}
