import type { CommandReason, CommandStatus } from '@granary/contract/commands';
import type { CommandProgress, CommandState as ReportedState } from '@granary/contract/link/field-messages';
import { MINUTE_MS } from '@granary/contract/time';
import { deviceTimeMs, EXPIRY_SKEW_MS, isDue, isReportDue, type NotSent } from '../devices/polling.ts';
import { answeredStop, releaseStop, repeatStop, reportedStop } from './emergency-stop-replies.ts';
import {
  COMMAND_RULES,
  type CommandState,
  isCommandFinished,
  isDecided,
  isEmergencyStop,
  isOpen,
} from './state.ts';

/** Without a report for this long, the outcome of a command is unknown. */
export const COMMAND_TIMEOUT_MS = MINUTE_MS;

/** How a command stands, as the device reported it. */
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
  /** It has a live session and listens to its commands. */
  readonly deviceOnline: boolean;
  /** That session has just begun: whatever was sent before may not have arrived. */
  readonly isNewSession: boolean;
  /** An emergency stop keeps the device from moving. */
  readonly isStopped: boolean;
}

export type CommandInput =
  /** It was just accepted. Only this sends a command that can move something. */
  | { readonly kind: 'issue'; readonly isReachable: boolean }
  /** It was to be sent, but was not. */
  | { readonly kind: 'not_sent'; readonly delivery: NotSent }
  /** An emergency stop was requested. */
  | { readonly kind: 'cancel' }
  /** A person released the emergency stop, or a later one takes its place. */
  | { readonly kind: 'release' }
  | { readonly kind: 'ack'; readonly accepted: boolean; readonly reason: string | null }
  | ({ readonly kind: 'progress' } & CommandReportContent)
  | CommandTick;

/** What a command has become, and what to send to its device. */
export interface CommandTransition {
  readonly command: CommandState;
  readonly send: 'execute' | 'report' | null;
}

/**
 * What an input makes of a command, at any time and in any state. It is sent once; only an emergency stop is repeated, until
 * the device has confirmed it. A command that nothing changed is returned as the same object.
 */
export function advanceCommand(command: CommandState, input: CommandInput, nowMs: number): CommandTransition {
  if (isDecided(command) && input.kind !== 'release') return quiet(command);
  switch (input.kind) {
    case 'release':
      return quiet(releaseStop(command));
    case 'issue':
      return issued(command, input.isReachable, nowMs);
    case 'not_sent':
      return quiet(notSent(command, input.delivery, nowMs));
    case 'cancel':
      return quiet(cancelUnsent(command, nowMs));
    case 'ack':
      return quiet(
        isEmergencyStop(command) ? answeredStop(command, input, nowMs) : answered(command, input, nowMs),
      );
    case 'progress':
      return quiet(
        isEmergencyStop(command) ? reportedStop(command, input, nowMs) : reported(command, input, nowMs),
      );
    case 'tick':
      return ticked(command, input, nowMs);
  }
}

const quiet = (command: CommandState): CommandTransition => ({ command, send: null });

function issued(command: CommandState, isReachable: boolean, nowMs: number): CommandTransition {
  if (command.status !== 'queued') return quiet(command);
  if (isReachable) return sendFirst(command, nowMs);
  return quiet(COMMAND_RULES[command.command].needsSession ? failUnsent(command, nowMs) : command);
}

const sendFirst = (command: CommandState, nowMs: number): CommandTransition => ({
  command: { ...command, status: 'sent', sentAtMs: nowMs, resentAtMs: nowMs },
  send: 'execute',
});

/** What may wait for the device does so again; an emergency stop is repeated anyway. */
function notSent(command: CommandState, delivery: NotSent, nowMs: number): CommandState {
  if (command.status !== 'sent' || isEmergencyStop(command)) return command;
  if (delivery === 'expired') return expire(command, 'it expired before it could be sent', nowMs);
  if (COMMAND_RULES[command.command].needsSession) return failUnsent(command, nowMs);
  return { ...command, status: 'queued', sentAtMs: null, resentAtMs: null };
}

const failUnsent = (command: CommandState, nowMs: number): CommandState =>
  end(command, 'failed', 'not_sent', 'the device has no live session, so nothing was sent', nowMs);

/** What has been sent can only be given up by the device, which then reports it. */
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
  { accepted, reason }: { readonly accepted: boolean; readonly reason: string | null },
  nowMs: number,
): CommandState {
  if (command.acceptedAtMs !== null) return command;
  if (accepted) return executing(command, nowMs);
  const heard = { ...command, lastHeardAtMs: nowMs };
  return end(heard, 'rejected', 'refused', reason ?? 'the device refused it', nowMs);
}

function reported(
  before: CommandState,
  { state, reason, tsMs }: CommandReportContent,
  nowMs: number,
): CommandState {
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
      // A repeated report, or a clock that was set back: then the next report, asked for soon, is later than this one.
      if (isOld) return isOpen(before) ? heard : before;
      return unknown({ ...heard, lastHeardAtMs: nowMs }, nowMs);
    }
  }
}

/** The device knows no such command. That ends it, unless it may still be on the way. */
function unknown(command: CommandState, nowMs: number): CommandState {
  const { acceptedAtMs, expiresAtMs, status } = command;
  if (status === 'expired' || status === 'failed') return command;
  if (acceptedAtMs !== null) {
    return end(
      command,
      'failed',
      'forgotten',
      'the device no longer knows it; its outcome is unknown',
      nowMs,
    );
  }
  const mayStillArrive = expiresAtMs === null || nowMs <= expiresAtMs + EXPIRY_SKEW_MS;
  return mayStillArrive
    ? command
    : expire(
        command,
        'the device does not know it: it did not arrive in time, or its memory was lost',
        nowMs,
      );
}

const expire = (command: CommandState, message: string, nowMs: number): CommandState =>
  end(command, 'expired', 'not_delivered', message, nowMs);

function ticked(before: CommandState, tick: CommandTick, nowMs: number): CommandTransition {
  if (isCommandFinished(before, nowMs)) return quiet(before);
  if (isEmergencyStop(before)) {
    const stop = repeatStop(before, tick, nowMs);
    return { command: stop, send: stop === before ? null : 'execute' };
  }
  if (before.status === 'queued') return tickedQueued(before, tick, nowMs);
  const command = doubt(before, nowMs);
  if (!tick.deviceOnline || !isReportDue({ ...command, lastHeardAtMs: heardAtMs(command) }, nowMs)) {
    return quiet(command);
  }
  return { command: { ...command, reportAskedAtMs: nowMs }, send: 'report' };
}

/** A command that can move something is sent when it is issued or never, so one that still waits was not sent. */
function tickedQueued(command: CommandState, tick: CommandTick, nowMs: number): CommandTransition {
  const { expiresAtMs } = command;
  if (tick.isStopped) return quiet(cancelUnsent(command, nowMs));
  if (COMMAND_RULES[command.command].needsSession) return quiet(failUnsent(command, nowMs));
  if (expiresAtMs !== null && nowMs > expiresAtMs) {
    return quiet(expire(command, 'the device did not connect in time', nowMs));
  }
  return tick.deviceOnline ? sendFirst(command, nowMs) : quiet(command);
}

const heardAtMs = ({ lastHeardAtMs, sentAtMs }: CommandState): number | null => lastHeardAtMs ?? sentAtMs;

function doubt(command: CommandState, nowMs: number): CommandState {
  if (command.status === 'timed_out' || !isDue(heardAtMs(command), nowMs, COMMAND_TIMEOUT_MS)) return command;
  return end(command, 'timed_out', 'no_answer', 'the device does not say what became of it', nowMs);
}
