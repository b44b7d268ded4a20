import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import type { RefusalMessage } from '@granary/contract/sentences/refusals';
import { toIso } from '@granary/contract/time';
import { type DeclarationInput, declaredEnd, declaredEndMessage } from '../jobs/declared-end.ts';
import { EXPIRY_SKEW_MS } from '../jobs/polling.ts';
import { STOP_CONFIRMATION_MS_MAX } from './emergency-stop.ts';
import { COMMAND_RULES, type CommandState, isEmergencyStop, isEndDeclared } from './state.ts';

interface Situation {
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

/** Refuses the declaration of a command whose outcome is known, or about which something can be done first. */
export function refuseDeclaration(command: CommandState, situation: Situation): void {
  const why = isEndDeclared(command) ? null : whyNotDeclarable(command, situation);
  if (why !== null) throw new Refusal('cannot_declare_ended', why);
}

/** A declaration that is refused changes nothing. The emergency stop stays in force until it is released, but is not repeated. */
export function declareEnded(
  command: CommandState,
  declaration: DeclarationInput,
  situation: Situation,
): CommandState {
  if (whyNotDeclarable(command, situation) !== null) return command;
  const declared = declaredEnd(declaration, situation.nowMs);
  const result = { reason: 'declared_ended', message: declaredEndMessage(declared) } as const;
  return { ...command, status: 'failed', endedAtMs: situation.nowMs, result, declared };
}

/** An emergency stop whose end was declared is repeated again after any answer of the device, until the device confirms it. */
export const reopenDeclaredStop = (stop: CommandState): CommandState =>
  isEndDeclared(stop) ? { ...stop, status: 'sent', endedAtMs: null, result: null } : stop;

function whyNotDeclarable(command: CommandState, { isReachable, nowMs }: Situation): RefusalMessage | null {
  const { status, createdAtMs } = command;
  if (status === 'timed_out') return null;
  if (status !== 'queued' && status !== 'sent' && status !== 'executing') {
    return sentence('command_has_ended', { status });
  }
  if (isEmergencyStop(command)) {
    const overdueMs = createdAtMs + STOP_CONFIRMATION_MS_MAX;
    if (nowMs >= overdueMs) return null;
    return sentence('emergency_stop_may_be_confirmed', { from: toIso(overdueMs) });
  }
  if (status === 'queued') return sentence('command_not_sent_yet');
  const arrivalMs = latestPossibleArrivalMs(command);
  if (arrivalMs !== null && nowMs <= arrivalMs) {
    return sentence('command_may_begin', { until: toIso(arrivalMs) });
  }
  return isReachable ? sentence('command_is_asked_for') : null;
}

/** Until when an unanswered movement command may still reach the device; `null` if it cannot begin any more. */
const latestPossibleArrivalMs = ({ command, acceptedAtMs, expiresAtMs }: CommandState): number | null =>
  acceptedAtMs !== null || expiresAtMs === null || !COMMAND_RULES[command].needsSession
    ? null
    : expiresAtMs + EXPIRY_SKEW_MS;
