import type { SiloCommand, StartCommand } from '@granary/contract/link';
import type { DeviceLink } from '@granary/link/port';
import type { Logger } from './logger.ts';

/** Tells devices what to do about operations. What is lost on the way shows in the operation's state, not here. */
export class OperationCommands {
  readonly #link: DeviceLink;
  readonly #logger: Logger;

  constructor(link: DeviceLink, logger: Logger) {
    this.#link = link;
    this.#logger = logger;
  }

  /** Only ever called by whoever has just stored the operation: a start is sent once. */
  start(deviceId: string, command: StartCommand): Promise<void> {
    return this.#publish(deviceId, command);
  }

  /** May be sent any number of times. */
  send(deviceId: string, operationId: string, command: 'stop' | 'report'): Promise<void> {
    return this.#publish(deviceId, { command, operation_id: operationId });
  }

  async #publish(deviceId: string, command: SiloCommand): Promise<void> {
    try {
      await this.#link.publish(deviceId, 'command', command);
    } catch (error) {
      const { command: what, operation_id } = command;
      this.#logger.warn({ device_id: deviceId, operation_id, command: what, err: error }, 'sending failed');
    }
  }
}
