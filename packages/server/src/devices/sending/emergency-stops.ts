import type { App } from '@granary/app/app';
import type { Attempt } from '@granary/app/audit/audit-rows';
import { newId } from '@granary/app/ids';
import type { CommandRequest } from '@granary/contract/commands';
import { Refusal } from '@granary/contract/errors';
import type { FieldCommand } from '@granary/contract/link/field-messages';
import { commandMessage } from '@granary/core/commands/record';
import { beginCommand, type CommandState } from '@granary/core/commands/state';
import { advanceCommand } from '@granary/core/commands/transitions';
import { isStorageFault } from '@granary/store/errors';
import type { DeviceMessages } from './device-messages.ts';
import type { PriorityCommands, SendResult } from './priority-commands.ts';
import type { UrgentDeadline } from './urgent-deadline.ts';

export const EMERGENCY_STOP = { command: 'emergency_stop' } as const satisfies CommandRequest;

export interface EmergencyTarget {
  readonly deviceId: string;
  readonly deviceNo: number;
  readonly commandId: string;
  readonly attempt: Attempt | null;
}

/** The message of an emergency stop never expires. */
export const emergencyStopMessage = (commandId: string): FieldCommand => ({
  command: 'execute',
  command_id: commandId,
  name: EMERGENCY_STOP.command,
  parameters: {},
  expires_at: null,
});

type Issued = Awaited<ReturnType<App['commands']['issue']>>;

interface EmergencyStopParts {
  readonly app: App;
  readonly messages: DeviceMessages;
  readonly priorityCommands: PriorityCommands;
  readonly now: () => number;
}

/** Stops field devices, also while nothing can be stored. */
export class EmergencyStops {
  readonly #parts: EmergencyStopParts;
  /**
   * The id of the stop of each device whose stop is not stored yet. A further request uses the same id, because stops with different ids
   * are all repeated, and the device would have to answer each of them every time. A stop that is stored may have been confirmed and
   * released since, so the next request makes a new one.
   */
  readonly #unstored = new Map<string, string>();

  constructor(parts: EmergencyStopParts) {
    this.#parts = parts;
  }

  /** The id of the stop that a request is about. */
  commandIdFor(deviceId: string): string {
    return this.#unstored.get(deviceId) ?? newId('cmd', this.#parts.now());
  }

  /** `storeWithKey` writes the command together with its idempotency key. */
  async stop(
    target: EmergencyTarget,
    deadline: UrgentDeadline,
    storeWithKey: () => Promise<Issued>,
  ): Promise<SendResult<CommandState>> {
    const { messages, priorityCommands, now } = this.#parts;
    const { deviceId, deviceNo, commandId, attempt } = target;
    this.#unstored.set(deviceId, commandId);
    const assumed = asIfStored(target, messages.isReachable(deviceId), now());
    const command = {
      name: `${deviceId} ${commandId}`,
      deviceId,
      blocksMotion: true,
      send: () => messages.send(deviceId, commandMessage(assumed, 'execute')),
      storeLater: () =>
        this.#storing(target, () =>
          this.#parts.app.urgent.audited(attempt).commands.issue({
            deviceNo,
            commandId,
            request: EMERGENCY_STOP,
            isReachable: messages.isReachable(deviceId),
            nowMs: now(),
          }),
        ),
    };
    return await priorityCommands.sendAndStore<CommandState>(command, {
      deadline,
      storeForCaller: async () => {
        const { command, message } = await this.#storing(target, storeWithKey);
        return { state: command, isToSend: message !== null };
      },
      assumedState: async () => ({ state: assumed, isToSend: true }),
    });
  }

  /** A stop that is refused, for example because the device cannot be commanded, is not stored later either. */
  async #storing({ deviceId, commandId }: EmergencyTarget, store: () => Promise<Issued>): Promise<Issued> {
    try {
      const issued = await store();
      this.#forget(deviceId, commandId);
      return issued;
    } catch (error) {
      if (error instanceof Refusal && !isStorageFault(error)) this.#forget(deviceId, commandId);
      throw error;
    }
  }

  #forget(deviceId: string, commandId: string): void {
    if (this.#unstored.get(deviceId) === commandId) this.#unstored.delete(deviceId);
  }
}

function asIfStored(
  { deviceNo, commandId, attempt }: EmergencyTarget,
  isReachable: boolean,
  nowMs: number,
): CommandState {
  const begun = {
    ...beginCommand({ commandId, deviceNo, request: EMERGENCY_STOP }, nowMs),
    requestedBy: attempt?.actor ?? null,
  };
  return advanceCommand(begun, { kind: 'issue', isReachable }, nowMs).command;
}
