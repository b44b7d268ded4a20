import type { App } from '@granary/app/app';
import type { FieldCommand } from '@granary/contract/link/field-messages';
import type { CommandState } from '@granary/core/commands/state';
import type { MissionState } from '@granary/core/missions/state';
import type { DeviceCommands } from './device-commands.ts';

interface SendingParts {
  readonly app: App;
  readonly commands: DeviceCommands;
  readonly now: () => number;
}

interface FieldTarget {
  readonly deviceNo: number;
  readonly deviceId: string;
}

/** Sends a command's message; if it was not sent, that is stored at once, and the answer is what it made of the command. */
export async function sendCommandMessage(
  { app, commands, now }: SendingParts,
  { deviceNo, deviceId }: FieldTarget,
  message: FieldCommand,
): Promise<CommandState | undefined> {
  const delivery = commands.send(deviceId, message);
  // An emergency stop, which does not expire, is repeated anyway.
  if (delivery === 'sent' || message.command !== 'execute' || message.expires_at === null) return undefined;
  const { command_id: commandId } = message;
  return await app.commands.notSent({ deviceNo, commandId, delivery, nowMs: now() });
}

/** The same for a mission, of which only a start and a resumption are not repeated. */
export async function sendMissionMessage(
  { app, commands, now }: SendingParts,
  { deviceNo, deviceId }: FieldTarget,
  message: FieldCommand,
): Promise<MissionState | undefined> {
  const isSent = commands.send(deviceId, message) === 'sent';
  if (isSent || (message.command !== 'mission_start' && message.command !== 'mission_resume'))
    return undefined;
  const { mission_id: missionId } = message;
  const send = message.command === 'mission_start' ? 'start' : 'resume';
  return await app.missions.notSent({ deviceNo, missionId, send, nowMs: now() });
}

export async function sendFieldMessage(
  parts: SendingParts,
  target: FieldTarget,
  message: FieldCommand,
): Promise<void> {
  await ('mission_id' in message ? sendMissionMessage : sendCommandMessage)(parts, target, message);
}
