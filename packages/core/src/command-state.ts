import {
  COMMAND_STATUSES,
  type CommandName,
  type CommandParameters,
  type CommandRecord,
  type CommandRequest,
  type CommandResult,
  type CommandStatus,
} from '@granary/contract/commands';
import { Refusal } from '@granary/contract/errors';
import type { FieldConfiguration } from '@granary/contract/field-configuration';
import type { FieldCommand } from '@granary/contract/field-link';
import { DAY_MS, MINUTE_MS, SECOND_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import { deviceStatus, type Presence } from './devices.ts';
import { isInside } from './geofence.ts';
import { storedJob } from './stored-job.ts';

interface CommandRule {
  /** Sets the device in motion, so it must not lie in wait for a device that is away. */
  readonly isMotion: boolean;
  /** `null`: it is never too late for it. */
  readonly expiryMs: number | null;
}

const MOTION: CommandRule = { isMotion: true, expiryMs: 30 * SECOND_MS };
const TASK: CommandRule = { isMotion: false, expiryMs: 5 * MINUTE_MS };

export const COMMAND_RULES: Record<CommandName, CommandRule> = {
  move_to_coordinates: MOTION,
  resume: MOTION,
  return_to_base: MOTION,
  hold: TASK,
  scan: TASK,
  collect_sample: TASK,
  emergency_stop: { isMotion: false, expiryMs: null },
};

/** How long the device is asked what became of a command that it did not answer. */
const ASKED_AFTER_END_MS_MAX = DAY_MS;

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
}

export const restoreCommand = (stored: unknown): CommandState =>
  storedJob<CommandState>(stored, COMMAND_STATUSES);

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
export function isCommandSettled(command: CommandState, nowMs: number): boolean {
  const { status, endedAtMs } = command;
  if (status !== 'timed_out') return endedAtMs !== null;
  return endedAtMs !== null && nowMs - endedAtMs > ASKED_AFTER_END_MS_MAX;
}

export interface FieldDeviceAtCommand {
  readonly presence: Presence;
  readonly configuration: FieldConfiguration;
}

/** Refuses what must not even wait for the device. An emergency stop is never refused. */
export function refuseCommand(request: CommandRequest, device: FieldDeviceAtCommand, nowMs: number): void {
  if (request.command === 'emergency_stop') return;
  const status = deviceStatus(device.presence, nowMs);
  if (status === 'maintenance') throw new Refusal('device_in_maintenance', 'the device is in maintenance');
  if (status === 'offline' && COMMAND_RULES[request.command].isMotion) {
    throw new Refusal('device_offline', 'the device is offline');
  }
  if (request.command !== 'move_to_coordinates') return;
  const { latitude: lat, longitude: lng } = request.parameters;
  const { geofence } = device.configuration;
  if (geofence !== null && !isInside(geofence, { lat, lng })) {
    throw new Refusal('outside_geofence', 'the target lies outside the geofence', [
      { path: '/parameters', message: 'lies outside the geofence' },
    ]);
  }
}

export interface NewCommand {
  readonly commandId: string;
  readonly deviceNo: number;
  readonly request: CommandRequest;
}

/** Waits to be sent; a tick sends it. */
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
  };
}

/** As callers see it. */
export const commandRecord = (command: CommandState): CommandRecord => ({
  command_id: command.commandId,
  command: command.command,
  parameters: command.parameters,
  status: command.status,
  created_at: toIso(command.createdAtMs),
  sent_at: toIsoOrNull(command.sentAtMs),
  ended_at: toIsoOrNull(command.endedAtMs),
  expires_at: toIsoOrNull(command.expiresAtMs),
  result: command.result,
});

/** As the device is told. */
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
