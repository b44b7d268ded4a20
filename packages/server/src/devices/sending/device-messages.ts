import type { StoredConfiguration } from '@granary/app/configuration/configuration';
import type { DeviceMessage } from '@granary/app/effects';
import { sentConfiguration } from '@granary/contract/link/messages';
import { parseTime } from '@granary/contract/time';
import type { CommandOptions, Delivery, DeviceLink } from '@granary/link/port';
import type { Logger } from '../../process/logging/logger.ts';
import type { PriorityCommands } from './priority-commands.ts';

/** Sends commands to devices that have a live session, and logs and counts what was not sent. */
export class DeviceMessages {
  readonly #link: DeviceLink;
  readonly #logger: Logger;
  readonly #unsent = { not_connected: 0, not_subscribed: 0, expired: 0, in_flight: 0 };

  readonly #isMotionBlocked: PriorityCommands['isMotionBlocked'];

  constructor(link: DeviceLink, logger: Logger, isMotionBlocked: PriorityCommands['isMotionBlocked']) {
    this.#link = link;
    this.#logger = logger;
    this.#isMotionBlocked = isMotionBlocked;
  }

  /** How many commands were not sent, by reason, since the start of the service. */
  get unsent(): Readonly<Record<Exclude<Delivery, 'sent'>, number>> {
    return this.#unsent;
  }

  isReachable(deviceId: string): boolean {
    return this.#link.isReachable(deviceId);
  }

  /**
   * Must be called only after the decision to send is stored. The command is passed to the link before this returns; the
   * promise tells whether it was written to the connection, and never rejects. A message that can cause movement is not sent
   * if its write began, at `begunAtMs`, before an emergency stop was stored.
   */
  async send(deviceId: string, command: DeviceMessage, begunAtMs = 0): Promise<Delivery> {
    const delivery =
      setsInMotion(command) && this.#isMotionBlocked(deviceId, begunAtMs)
        ? 'expired'
        : await this.#link.sendCommand(deviceId, command, commandOptions(command));
    if (delivery === 'sent') return delivery;
    this.#unsent[delivery] += 1;
    // A stop or report request is tried every few seconds while a device is disconnected, which is not worth a log line.
    const level = delivery === 'expired' || isSentOnce(command) ? 'warn' : 'debug';
    this.#logger[level]({ device_id: deviceId, delivery, ...named(command) }, 'command not sent');
    return delivery;
  }
}

/** A message that can cause movement is sent once; all others are repeated until the device has answered. */
const isSentOnce = (command: DeviceMessage): boolean => {
  switch (command.command) {
    case 'start':
    case 'mission_start':
    case 'mission_resume':
      return true;
    default:
      return command.command === 'execute' && command.expires_at !== null;
  }
};

const HARMLESS: ReadonlySet<DeviceMessage['command']> = new Set([
  'stop',
  'report',
  'mission_cancel',
  'mission_pause',
]);

/** Every message counts as movement unless it is known to be harmless; an emergency stop never expires. */
const setsInMotion = (command: DeviceMessage): boolean =>
  !HARMLESS.has(command.command) && !(command.command === 'execute' && command.name === 'emergency_stop');

export function commandOptions(command: DeviceMessage): CommandOptions {
  const expiresAt = 'expires_at' in command ? command.expires_at : null;
  return {
    // An invalid time counts as expired, so that nothing moves by mistake.
    expiresAtMs: expiresAt === null ? null : (parseTime(expiresAt) ?? 0),
    repeatKey: isSentOnce(command) ? null : Object.values(named(command)).join(' '),
  };
}

/** The kind of the message and the id of its job, so that a repeated message can be recognised. */
const named = (command: DeviceMessage): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(command).filter(([field]) => field === 'command' || field.endsWith('_id')),
  );

/** A connected device receives the configuration now; any other receives it when it connects and subscribes. */
export function sendConfiguration(
  link: Pick<DeviceLink, 'sendConfiguration'>,
  deviceId: string,
  { configuration, version }: StoredConfiguration,
): void {
  link.sendConfiguration(deviceId, { version, ...sentConfiguration(configuration) });
}
