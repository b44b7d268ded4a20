import type { CommandReason, CommandStatus } from '@granary/contract/commands';
import type { CommandProgress, CommandState as ReportedState } from '@granary/contract/link/field-messages';
import { sentence } from '@granary/contract/sentences/codes';
import type { DeclarationInput } from '../jobs/declared-end.ts';
import { deviceTimeMs, EXPIRY_SKEW_MS, isDue, isReportDue, type NotSentReason } from '../jobs/polling.ts';
import { deviceReason } from '../words.ts';
import { declareEnded, reopenDeclaredStop } from './declared-end.ts';
import { applyStopAcknowledgement, applyStopReport, releaseStop, repeatStop } from './emergency-stop.ts';
import {
  COMMAND_RULES,
  COMMAND_TIMEOUT_MS,
  type CommandEnd,
  type CommandState,
  isCommandFinished,
  isDecided,
  isEmergencyStop,
  isOpen,
} from './state.ts';

/** The content of a device's report about a command. */
export interface CommandReportContent {
  readonly state: ReportedState;
  readonly reason: string | null;
  readonly tsMs: number;
}

export const commandReportContent = ({ state, reason, ts }: CommandProgress): CommandReportContent => ({
  state,
  reason: reason ?? null,
  tsMs: deviceTimeMs(ts),
});

export interface CommandTick {
  readonly kind: 'tick';
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  /** The session has just begun, so earlier messages may not have arrived. */
  readonly isNewSession: boolean;
  /** An emergency stop is in force on the device. */
  readonly isStopped: boolean;
}

export type CommandInput =
  /** The command was just accepted by the service; this is the only input that sends a movement command. */
  | { readonly kind: 'issue'; readonly isReachable: boolean }
  /** The link could not write the command to the device's connection. */
  | { readonly kind: 'not_sent'; readonly delivery: NotSentReason }
  /** An emergency stop was requested, which cancels commands that are not sent yet. */
  | { readonly kind: 'cancel' }
  /** A person released the emergency stop, or a later emergency stop replaces it. */
  | { readonly kind: 'release' }
  | {
      readonly kind: 'declare_ended';
      readonly declaration: DeclarationInput;
      readonly isReachable: boolean;
    }
  | { readonly kind: 'ack'; readonly accepted: boolean; readonly reason: string | null }
  | ({ readonly kind: 'progress' } & CommandReportContent)
  | CommandTick;

/** The new state of a command, and the message to send to its device. */
export interface CommandTransition {
  readonly command: CommandState;
  readonly send: 'execute' | 'report' | null;
}

/**
 * The state machine of a command: accepts every input in every state. A command is sent once; only an emergency stop is sent
 * repeatedly, until the device confirms it. An unchanged command is returned as the same object, so that callers can skip the write.
 */
export function advanceCommand(command: CommandState, input: CommandInput, nowMs: number): CommandTransition {
  if (isDecided(command) && input.kind !== 'release') return withoutMessage(command);
  switch (input.kind) {
    case 'release':
      return withoutMessage(releaseStop(command));
    case 'issue':
      return applyIssue(command, input.isReachable, nowMs);
    case 'not_sent':
      return withoutMessage(applyNotSent(command, input.delivery, nowMs));
    case 'cancel':
      return withoutMessage(cancelUnsent(command, nowMs));
    case 'declare_ended':
      return withoutMessage(
        declareEnded(command, input.declaration, { isReachable: input.isReachable, nowMs }),
      );
    case 'ack':
      return withoutMessage(
        isEmergencyStop(command)
          ? applyStopAcknowledgement(reopenDeclaredStop(command), input, nowMs)
          : applyAcknowledgement(command, input, nowMs),
      );
    case 'progress':
      return withoutMessage(
        isEmergencyStop(command)
          ? applyStopReport(reopenDeclaredStop(command), input, nowMs)
          : applyReport(command, input, nowMs),
      );
    case 'tick':
      return applyTick(command, input, nowMs);
  }
}

const withoutMessage = (command: CommandState): CommandTransition => ({ command, send: null });

function applyIssue(command: CommandState, isReachable: boolean, nowMs: number): CommandTransition {
  if (command.status !== 'queued') return withoutMessage(command);
  if (isReachable) return sendFirst(command, nowMs);
  return withoutMessage(COMMAND_RULES[command.command].needsSession ? failUnsent(command, nowMs) : command);
}

const sendFirst = (command: CommandState, nowMs: number): CommandTransition => ({
  command: { ...command, status: 'sent', sentAtMs: nowMs, resentAtMs: nowMs },
  send: 'execute',
});

/** A command that may wait for the device goes back to `queued`; an emergency stop is sent again by the next tick. */
function applyNotSent(command: CommandState, delivery: NotSentReason, nowMs: number): CommandState {
  if (command.status !== 'sent' || isEmergencyStop(command)) return command;
  if (delivery === 'expired') return expire(command, sentence('expired_unsent'), nowMs);
  if (COMMAND_RULES[command.command].needsSession) return failUnsent(command, nowMs);
  return { ...command, status: 'queued', sentAtMs: null, resentAtMs: null };
}

const failUnsent = (command: CommandState, nowMs: number): CommandState =>
  end(command, 'failed', 'not_sent', sentence('nothing_sent'), nowMs);

/** A command that was sent can only be cancelled by the device, which reports the cancellation. */
function cancelUnsent(command: CommandState, nowMs: number): CommandState {
  if (command.status !== 'queued' || isEmergencyStop(command)) return command;
  return end(command, 'cancelled', 'emergency_stop', sentence('stop_came_first'), nowMs);
}

const end = (
  command: CommandState,
  status: CommandStatus,
  reason: CommandReason,
  message: CommandEnd['message'],
  nowMs: number,
): CommandState => ({ ...command, status, endedAtMs: nowMs, result: { reason, message } });

const markExecuting = (command: CommandState, nowMs: number): CommandState => ({
  ...command,
  status: 'executing',
  acceptedAtMs: command.acceptedAtMs ?? nowMs,
  lastHeardAtMs: nowMs,
  endedAtMs: null,
  result: null,
});

/** Only the first acknowledgement counts: a later refusal answers a repeated copy of the message. */
function applyAcknowledgement(
  command: CommandState,
  { accepted, reason }: { readonly accepted: boolean; readonly reason: string | null },
  nowMs: number,
): CommandState {
  if (command.acceptedAtMs !== null) return command;
  if (accepted) return markExecuting(command, nowMs);
  const updated = { ...command, lastHeardAtMs: nowMs };
  return end(updated, 'rejected', 'refused', deviceReason(reason), nowMs);
}

function applyReport(
  before: CommandState,
  { state, reason, tsMs }: CommandReportContent,
  nowMs: number,
): CommandState {
  const { lastProgressTsMs } = before;
  const isOld = lastProgressTsMs !== null && tsMs <= lastProgressTsMs;
  const command = { ...markExecuting(before, nowMs), lastProgressTsMs: isOld ? lastProgressTsMs : tsMs };
  switch (state) {
    case 'executing':
      return command;
    case 'succeeded':
      return { ...command, status: 'succeeded', endedAtMs: nowMs };
    case 'failed':
      return end(command, 'failed', 'device_fault', deviceReason(reason), nowMs);
    case 'cancelled':
      return end(command, 'cancelled', 'superseded', deviceReason(reason, 'superseded'), nowMs);
    case 'unknown': {
      if (before.status === 'queued') return before;
      const updated = { ...before, lastProgressTsMs: tsMs };
      // Either a repeated report or a device clock that was set back; in the second case the next report has a later time than this one.
      if (isOld) return isOpen(before) ? updated : before;
      return applyUnknown({ ...updated, lastHeardAtMs: nowMs }, nowMs);
    }
  }
}

/** The device does not know the command, which ends it unless the message may still arrive. */
function applyUnknown(command: CommandState, nowMs: number): CommandState {
  const { acceptedAtMs, expiresAtMs, status } = command;
  if (status === 'expired' || status === 'failed') return command;
  if (acceptedAtMs !== null) {
    return end(command, 'failed', 'forgotten', sentence('outcome_forgotten'), nowMs);
  }
  const mayStillArrive = expiresAtMs === null || nowMs <= expiresAtMs + EXPIRY_SKEW_MS;
  return mayStillArrive ? command : expire(command, sentence('did_not_arrive'), nowMs);
}

const expire = (command: CommandState, message: CommandEnd['message'], nowMs: number): CommandState =>
  end(command, 'expired', 'not_delivered', message, nowMs);

function applyTick(before: CommandState, tick: CommandTick, nowMs: number): CommandTransition {
  if (isCommandFinished(before, nowMs)) return withoutMessage(before);
  if (isEmergencyStop(before)) {
    const stop = repeatStop(before, tick, nowMs);
    return { command: stop, send: stop === before ? null : 'execute' };
  }
  if (before.status === 'queued') return applyTickToQueued(before, tick, nowMs);
  const command = markTimedOut(before, nowMs);
  if (!tick.isReachable || !isReportDue({ ...command, lastHeardAtMs: lastContactAtMs(command) }, nowMs)) {
    return withoutMessage(command);
  }
  return { command: { ...command, reportAskedAtMs: nowMs }, send: 'report' };
}

/** A movement command is sent when it is issued or never, so one that is still queued fails. */
function applyTickToQueued(command: CommandState, tick: CommandTick, nowMs: number): CommandTransition {
  const { expiresAtMs } = command;
  if (tick.isStopped) return withoutMessage(cancelUnsent(command, nowMs));
  if (COMMAND_RULES[command.command].needsSession) return withoutMessage(failUnsent(command, nowMs));
  if (expiresAtMs !== null && nowMs > expiresAtMs) {
    return withoutMessage(expire(command, sentence('did_not_connect'), nowMs));
  }
  return tick.isReachable ? sendFirst(command, nowMs) : withoutMessage(command);
}

const lastContactAtMs = ({ lastHeardAtMs, sentAtMs }: CommandState): number | null =>
  lastHeardAtMs ?? sentAtMs;

function markTimedOut(command: CommandState, nowMs: number): CommandState {
  if (command.status === 'timed_out' || !isDue(lastContactAtMs(command), nowMs, COMMAND_TIMEOUT_MS))
    return command;
  return end(command, 'timed_out', 'no_answer', sentence('no_word_of_it'), nowMs);
}
