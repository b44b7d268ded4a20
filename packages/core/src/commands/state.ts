import {
  COMMAND_STATUSES,
  type CommandName,
  type CommandParameters,
  type CommandRequest,
  type CommandResult,
  type CommandStatus,
} from '@granary/contract/commands';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { MOTION_EXPIRY_MS } from '../devices/polling.ts';
import { storedJob } from '../devices/stored-job.ts';

interface CommandRule {
  /** It can move the device or a tool, or release it: it is sent at once over a live session, and never waits for one. */
  readonly needsSession: boolean;
  /** `null`: it never expires. */
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
  // It only ends movement, so it may wait for a device that is away.
  hold: { needsSession: false, expiryMs: 5 * MINUTE_MS },
  emergency_stop: { needsSession: false, expiryMs: null },
};

/** How long the device is asked what became of a command that it did not answer. */
export const ASKED_AFTER_END_MS_MAX = DAY_MS;

/** Everything known of a command. Times are the service's own clock unless they say otherwise. */
export interface CommandState {
  readonly commandId: string;
  readonly deviceNo: number;
  readonly command: CommandName;
  readonly parameters: CommandParameters;
  readonly status: CommandStatus;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** When it was first sent, and when last. */
  readonly sentAtMs: number | null;
  readonly resentAtMs: number | null;
  /** When the device first showed that it has the command. */
  readonly acceptedAtMs: number | null;
  readonly lastHeardAtMs: number | null;
  /** The newest time, by the device's clock, that it reported progress for. */
  readonly lastProgressTsMs: number | null;
  readonly reportAskedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly result: CommandResult | null;
  /** What the device last answered to an emergency stop instead of confirming it. */
  readonly lastAnswer: string | null;
  /**
   * Since when the device has been kept from moving, for the emergency stop that keeps it from moving; `null` for every
   * other command, and once it was released or a later emergency stop has taken its place.
   */
  readonly latchedSinceMs: number | null;
}

/** A command as it was stored, also by a version that knew neither answers nor the latch of an emergency stop. */
export function restoreCommand(stored: unknown): CommandState {
  const command = storedJob<CommandState>(stored, COMMAND_STATUSES);
  if (command.latchedSinceMs !== undefined) return command;
  const isLatched = isEmergencyStop(command) && isOpen(command);
  return { ...command, lastAnswer: null, latchedSinceMs: isLatched ? command.createdAtMs : null };
}

export const isEmergencyStop = ({ command }: CommandState): boolean => command === 'emergency_stop';

export const isOpen = ({ status }: CommandState): boolean =>
  status === 'queued' || status === 'sent' || status === 'executing';

/** The device's own word, or never having been sent, leaves nothing to learn. */
export const isDecided = ({ status, result }: CommandState): boolean =>
  status === 'succeeded' ||
  status === 'rejected' ||
  status === 'cancelled' ||
  (status === 'failed' && result?.reason !== 'forgotten');

/** Nothing more is to be done or learnt: it needs no further ticks. */
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

/** Not sent yet. */
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
  };
}
