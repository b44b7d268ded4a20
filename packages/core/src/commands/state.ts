import type { Actor } from '@granary/contract/audit';
import {
  COMMAND_STATUSES,
  type CommandName,
  type CommandParameters,
  type CommandRequest,
  type CommandResult,
  type CommandStatus,
} from '@granary/contract/commands';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { jobDocument } from '../documents.ts';
import type { DeclaredEnd, Ended } from '../jobs/declared-end.ts';
import { MOTION_EXPIRY_MS } from '../jobs/polling.ts';

interface CommandRule {
  /** The command can cause movement, so it is sent immediately over a live session and is never queued for a later one. */
  readonly needsSession: boolean;
  /** `null` means that the command never expires. */
  readonly expiryMs: number | null;
}

const AT_ONCE: CommandRule = { needsSession: true, expiryMs: MOTION_EXPIRY_MS };

export const COMMAND_RULES: Record<CommandName, CommandRule> = {
  move_to_coordinates: AT_ONCE,
  resume: AT_ONCE,
  return_to_base: AT_ONCE,
  scan: AT_ONCE,
  collect_sample: AT_ONCE,
  release_emergency_stop: AT_ONCE,
  // A hold only ends movement, so it may be queued for a device that is not connected.
  hold: { needsSession: false, expiryMs: 5 * MINUTE_MS },
  emergency_stop: { needsSession: false, expiryMs: null },
};

/** A command without a report for this long becomes `timed_out`: its outcome is unknown. */
export const COMMAND_TIMEOUT_MS = MINUTE_MS;
/** How long the service asks a device for the outcome of a command that timed out. */
export const ASKED_AFTER_END_MS_MAX = DAY_MS;

export type CommandEnd = Ended<CommandResult['reason']>;

/** The stored state of a command; times come from the service's clock unless a comment says otherwise. */
export interface CommandState {
  readonly commandId: string;
  readonly deviceNo: number;
  readonly command: CommandName;
  readonly parameters: CommandParameters;
  readonly status: CommandStatus;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** The time of the first send; `resentAtMs` is the time of the last one. */
  readonly sentAtMs: number | null;
  readonly resentAtMs: number | null;
  /** When the device first confirmed that it has received the command. */
  readonly acceptedAtMs: number | null;
  readonly lastHeardAtMs: number | null;
  /** The latest timestamp of a progress report, by the device's clock. */
  readonly lastProgressTsMs: number | null;
  readonly reportAskedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly result: CommandEnd | null;
  /** The last answer to an emergency stop that was not a confirmation. */
  readonly lastAnswer: CommandEnd['message'] | null;
  /**
   * Since when the emergency stop has been in force; `null` for every other command, and after the stop was released or
   * replaced by a later one.
   */
  readonly latchedSinceMs: number | null;
  /** The last declaration; the command ended with it if its result is `declared_ended`. */
  readonly declared: DeclaredEnd | null;
  /** The caller; set by the use case, because no decision depends on it. */
  readonly requestedBy: Actor | null;
}

export const isEmergencyStop = ({ command }: CommandState): boolean => command === 'emergency_stop';

export const isOpen = ({ status }: CommandState): boolean =>
  status === 'queued' || status === 'sent' || status === 'executing';

/** A person declared the command ended, and the device has not reported since. */
export const isEndDeclared = ({ result }: CommandState): boolean => result?.reason === 'declared_ended';

/** The outcome is final: the device reported it, or the command was never sent. */
export const isDecided = (command: CommandState): boolean => {
  const { status, result } = command;
  if (status === 'failed') return result?.reason !== 'forgotten' && !isEndDeclared(command);
  return status === 'succeeded' || status === 'rejected' || status === 'cancelled';
};

/** A finished command needs no more ticks: nothing is left to send or to wait for. */
export function isCommandFinished(command: CommandState, nowMs: number): boolean {
  const { status, endedAtMs, latchedSinceMs } = command;
  if (latchedSinceMs !== null) return false;
  if (status !== 'timed_out') return endedAtMs !== null;
  return endedAtMs !== null && nowMs - endedAtMs > ASKED_AFTER_END_MS_MAX;
}

export interface NewCommand {
  readonly commandId: string;
  readonly deviceNo: number;
  readonly request: CommandRequest;
}

/** A new command is `queued`: it is stored before it is sent. */
export function beginCommand({ commandId, deviceNo, request }: NewCommand, nowMs: number): CommandState {
  const { expiryMs } = COMMAND_RULES[request.command];
  return {
    commandId,
    deviceNo,
    command: request.command,
    parameters: request.parameters ?? {},
    status: 'queued',
    createdAtMs: nowMs,
    expiresAtMs: expiryMs === null ? null : nowMs + expiryMs,
    sentAtMs: null,
    resentAtMs: null,
    acceptedAtMs: null,
    lastHeardAtMs: null,
    lastProgressTsMs: null,
    reportAskedAtMs: null,
    endedAtMs: null,
    result: null,
    lastAnswer: null,
    latchedSinceMs: request.command === 'emergency_stop' ? nowMs : null,
    declared: null,
    requestedBy: null,
  };
}

/** The stored form of a command. */
export const COMMAND_DOCUMENT = jobDocument<CommandState>(COMMAND_STATUSES);
