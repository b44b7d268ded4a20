import type { FieldCommand } from '@granary/contract/field-link';
import type { SiloCommand } from '@granary/contract/link';
import type { DeviceLink } from '@granary/link/port';
import type { Logger } from './logger.ts';

export type DeviceCommand = SiloCommand | FieldCommand;

/** Tells devices what to do. What is lost on the way shows in the state of what it was about, not here. */
export class DeviceCommands {
  readonly #link: DeviceLink;
  readonly #logger: Logger;

  constructor(link: DeviceLink, logger: Logger) {
    this.#link = link;
    this.#logger = logger;
  }

  /** Only ever called by whoever has just stored that it is to be sent. Some commands are sent once, and only once. */
  async send(deviceId: string, command: DeviceCommand): Promise<void> {
    try {
      await this.#link.publish(deviceId, 'command', command);
    } catch (error) {
      this.#logger.warn({ device_id: deviceId, ...named(command), err: error }, 'sending failed');
    }
  }
}

/** What a silo is told of an operation that it has. */
export const operationMessage = (operation_id: string, send: 'stop' | 'report'): SiloCommand =>
  send === 'stop' ? { command: send, operation_id } : { command: send, operation_id };

/** What it is and what it is about. */
const named = (command: DeviceCommand): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(command).filter(([field]) => field === 'command' || field.endsWith('_id')),
  );
