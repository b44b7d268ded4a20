import type { CommandReason, CommandStatus } from '@granary/contract/commands';
import type { CommandProgress, CommandState as ReportedState } from '@granary/contract/field-link';
import { MINUTE_MS } from '@granary/contract/time';
import { type CommandState, isCommandSettled, isDecided, isEmergencyStop, isOpen } from './command-state.ts';
import { deviceTimeMs, EXPIRY_SKEW_MS, isDue, isReportDue } from './device-talk.ts';
import { STOP_RESEND_MS } from './operations.ts';

/** Without a word for this long, nobody knows what became of a command. */
export const COMMAND_TIMEOUT_MS = MINUTE_MS;

/** How a command stands, in the device's words. */
export interface CommandWord {
  readonly state: ReportedState;
  readonly reason: string | null;
  readonly tsMs: number;
}

export const commandWord = ({ state, reason, ts }: CommandProgress): CommandWord => ({
  state,
  reason: reason ?? null,
  tsMs: deviceTimeMs(ts),
});

export interface CommandTick {
  readonly kind: 'tick';
  readonly deviceOnline: boolean;
}

export type CommandInput =
  /** An emergency stop came. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'ack'; readonly accepted: boolean; readonly reason: string | null }
  | ({ readonly kind: 'progress' } & CommandWord)
  | CommandTick;

/** What a command has become, and what to send to its device. */
export interface CommandAdvance {
  readonly command: CommandState;
  readonly send: 'execute' | 'report' | null;
}

/**
 * What an input makes of a command, at any time and in any state. It is sent once, and only an emergency stop again and
 * again until the device has confirmed it. A command that nothing changed is returned as the same object.
 */
export function advanceCommand(command: CommandState, input: CommandInput, nowMs: number): CommandAdvance {
  if (isDecided(command)) return quiet(command);
  switch (input.kind) {
    case 'cancel':
      return quiet(cancelUnsent(command, nowMs));
    case 'ack':
      return quiet(answered(command, input.accepted, input.reason, nowMs));
    case 'progress':
      return quiet(reported(command, input, nowMs));
    case 'tick':
      return ticked(command, input, nowMs);
  }
}

const quiet = (command: CommandState): CommandAdvance => ({ command, send: null });

/** What has been sent is the device's to give up, and to tell of. */
function cancelUnsent(command: CommandState, nowMs: number): CommandState {
  if (command.status !== 'queued' || isEmergencyStop(command)) return command;
  return end(command, 'cancelled', 'emergency_stop', 'an emergency stop came first', nowMs);
}

const end = (
  command: CommandState,
  status: CommandStatus,
  reason: CommandReason,
  message: string,
  nowMs: number,
): CommandState => ({ ...command, status, endedAtMs: nowMs, result: { reason, message } });

const executing = (command: CommandState, nowMs: number): CommandState => ({
  ...command,
  status: 'executing',
  acceptedAtMs: command.acceptedAtMs ?? nowMs,
  lastHeardAtMs: nowMs,
  endedAtMs: null,
  result: null,
});

/** It is answered once: a refusal after that is one of a copy. */
function answered(
  command: CommandState,
  accepted: boolean,
  reason: string | null,
  nowMs: number,
): CommandState {
  if (command.acceptedAtMs !== null) return command;
  if (accepted) return executing(command, nowMs);
  const heard = { ...command, lastHeardAtMs: nowMs };
  return end(heard, 'rejected', 'refused', reason ?? 'the device refused it', nowMs);
}

function reported(before: CommandState, { state, reason, tsMs }: CommandWord, nowMs: number): CommandState {
  const { lastProgressTsMs } = before;
  const isOld = lastProgressTsMs !== null && tsMs <= lastProgressTsMs;
  const command = { ...executing(before, nowMs), lastProgressTsMs: isOld ? lastProgressTsMs : tsMs };
  switch (state) {
    case 'executing':
      return command;
    case 'succeeded':
      return { ...command, status: 'succeeded', endedAtMs: nowMs };
    case 'failed':
      return end(command, 'failed', 'device_fault', reason ?? 'the device reported a fault', nowMs);
    case 'cancelled':
      return end(command, 'cancelled', 'superseded', reason ?? 'the device gave it up for another', nowMs);
    case 'unknown': {
      if (before.status === 'queued') return before;
      const heard = { ...before, lastProgressTsMs: tsMs };
      // An echo, or a clock that was set back: then the next word, asked for soon, is later than this one.
      if (isOld) return isOpen(before) ? heard : before;
      return unknown({ ...heard, lastHeardAtMs: nowMs }, nowMs);
    }
  }
}

/** The device knows no such command. That ends it, unless it may still be on the way. */
function unknown(command: CommandState, nowMs: number): CommandState {
  const { acceptedAtMs, expiresAtMs, status } = command;
  if (isEmergencyStop(command) || status === 'expired' || status === 'failed') {
    return command;
  }
  if (acceptedAtMs !== null) {
    return end(command, 'failed', 'forgotten', 'the device no longer knows it', nowMs);
  }
  const mayStillArrive = expiresAtMs === null || nowMs <= expiresAtMs + EXPIRY_SKEW_MS;
  return mayStillArrive ? command : expire(command, nowMs);
}

const expire = (command: CommandState, nowMs: number): CommandState =>
  end(command, 'expired', 'not_delivered', 'it did not reach the device in time', nowMs);

function ticked(before: CommandState, { deviceOnline }: CommandTick, nowMs: number): CommandAdvance {
  if (isCommandSettled(before, nowMs)) return quiet(before);
  if (before.status === 'queued') return sendFirst(before, deviceOnline, nowMs);
  if (isEmergencyStop(before)) return stopAgain(before, deviceOnline, nowMs);
  const command = doubt(before, nowMs);
  if (!deviceOnline || !isReportDue({ ...command, lastHeardAtMs: heardAtMs(command) }, nowMs)) {
    return quiet(command);
  }
  return { command: { ...command, reportAskedAtMs: nowMs }, send: 'report' };
}

function sendFirst(command: CommandState, deviceOnline: boolean, nowMs: number): CommandAdvance {
  const { expiresAtMs } = command;
  if (expiresAtMs !== null && nowMs > expiresAtMs) return quiet(expire(command, nowMs));
  if (!deviceOnline) return quiet(command);
  return {
    command: { ...command, status: 'sent', sentAtMs: nowMs, resentAtMs: nowMs },
    send: 'execute',
  };
}

function stopAgain(command: CommandState, deviceOnline: boolean, nowMs: number): CommandAdvance {
  if (!deviceOnline || !isDue(command.resentAtMs, nowMs, STOP_RESEND_MS)) return quiet(command);
  return { command: { ...command, resentAtMs: nowMs }, send: 'execute' };
}

const heardAtMs = ({ lastHeardAtMs, sentAtMs }: CommandState): number | null => lastHeardAtMs ?? sentAtMs;

function doubt(command: CommandState, nowMs: number): CommandState {
  if (command.status === 'timed_out' || !isDue(heardAtMs(command), nowMs, COMMAND_TIMEOUT_MS)) return command;
  return end(command, 'timed_out', 'no_answer', 'the device does not say what became of it', nowMs);
}
