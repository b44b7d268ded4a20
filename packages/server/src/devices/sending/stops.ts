import type { App } from '@granary/app/app';
import type { Attempt } from '@granary/app/audit/audit-rows';
import { newId } from '@granary/app/ids';
import { LATE, within } from '@granary/common/within';
import type { CommandRequest } from '@granary/contract/commands';
import { Refusal } from '@granary/contract/errors';
import type { FieldCommand } from '@granary/contract/link/field-messages';
import { commandMessage } from '@granary/core/commands/record';
import { beginCommand, type CommandState } from '@granary/core/commands/state';
import { advanceCommand } from '@granary/core/commands/transitions';
import { operationMessage } from '@granary/core/operations/record';
import {
  isTerminal,
  type OperationState,
  stopAskedBy,
  unsolicitedOperation,
} from '@granary/core/operations/state';
import { advanceOperation } from '@granary/core/operations/transitions';
import { isStorageFault } from '@granary/store/errors';
import type { DeviceMessages } from './device-messages.ts';
import type { PriorityCommands, SendResult, StoreResult } from './priority-commands.ts';
import type { UrgentDeadline } from './urgent-deadline.ts';

export const EMERGENCY_STOP = { command: 'emergency_stop' } as const satisfies CommandRequest;

/** The message of an emergency stop never expires. */
export const emergencyStopMessage = (commandId: string): FieldCommand => ({
  command: 'execute',
  command_id: commandId,
  name: EMERGENCY_STOP.command,
  parameters: {},
  expires_at: null,
});

/** The device that a stop is for, and who asks for it. */
interface Target {
  readonly deviceId: string;
  readonly deviceNo: number;
  readonly attempt: Attempt | null;
}

type OperationTarget = Target & { readonly operationId: string };
type EmergencyTarget = Target & { readonly commandId: string };

type StoppedOperation = Awaited<ReturnType<App['operations']['stop']>>;
type IssuedCommand = Awaited<ReturnType<App['commands']['issue']>>;

interface StopParts {
  readonly app: App;
  readonly messages: DeviceMessages;
  readonly priorityCommands: PriorityCommands;
  readonly now: () => number;
}

/** Stops operations, and field devices by emergency stops, also while nothing can be stored. */
export class Stops {
  readonly #parts: StopParts;
  /**
   * The id of the emergency stop of each device whose stop is not stored yet. A further request uses the same id, because stops with
   * different ids are all repeated, and the device would have to answer each of them every time. A stop that is stored may have been
   * confirmed and released since, so the next request makes a new one.
   */
  readonly #unstoredIds = new Map<string, string>();

  constructor(parts: StopParts) {
    this.#parts = parts;
  }

  /** Returns `undefined` if the device has no such operation; `storeForCaller` writes the stop together with its idempotency key. */
  stopOperation(
    target: OperationTarget,
    deadline: UrgentDeadline,
    storeForCaller: () => Promise<StoppedOperation>,
  ): Promise<SendResult<OperationState | undefined>> {
    const { app, messages, priorityCommands, now } = this.#parts;
    const { deviceId, deviceNo, operationId, attempt } = target;
    const command = {
      name: `${deviceId} ${operationId}`,
      deviceId,
      blocksMotion: false,
      send: () => messages.send(deviceId, operationMessage(operationId, 'stop')),
      storeLater: () => app.urgent.audited(attempt).operations.stop({ deviceNo, operationId, nowMs: now() }),
    };
    return priorityCommands.sendAndStore<OperationState | undefined>(command, {
      deadline,
      storeForCaller: async () => {
        const stopped = await storeForCaller();
        return { state: stopped?.operation, isToSend: stopped?.send === 'stop' };
      },
      assumedState: () => this.#assumedOperation(target, deadline),
    });
  }

  /** The id of the emergency stop that a request is about. */
  emergencyIdFor(deviceId: string): string {
    return this.#unstoredIds.get(deviceId) ?? newId('cmd', this.#parts.now());
  }

  /** `storeForCaller` writes the command together with its idempotency key. */
  stopDevice(
    target: EmergencyTarget,
    deadline: UrgentDeadline,
    storeForCaller: () => Promise<IssuedCommand>,
  ): Promise<SendResult<CommandState>> {
    const { app, messages, priorityCommands, now } = this.#parts;
    const { deviceId, deviceNo, commandId, attempt } = target;
    this.#unstoredIds.set(deviceId, commandId);
    const assumed = assumedCommand(target, messages.isReachable(deviceId), now());
    const issue = () =>
      app.urgent.audited(attempt).commands.issue({
        deviceNo,
        commandId,
        request: EMERGENCY_STOP,
        isReachable: messages.isReachable(deviceId),
        nowMs: now(),
      });
    const command = {
      name: `${deviceId} ${commandId}`,
      deviceId,
      blocksMotion: true,
      send: () => messages.send(deviceId, commandMessage(assumed, 'execute')),
      storeLater: () => this.#storing(target, issue),
    };
    return priorityCommands.sendAndStore<CommandState>(command, {
      deadline,
      storeForCaller: async () => {
        const { command, message } = await this.#storing(target, storeForCaller);
        return { state: command, isToSend: message !== null };
      },
      assumedState: async () => ({ state: assumed, isToSend: true }),
    });
  }

  async #assumedOperation(
    target: OperationTarget,
    deadline: UrgentDeadline,
  ): Promise<StoreResult<OperationState | undefined>> {
    const nowMs = this.#parts.now();
    const known = await this.#lastKnownOperation(target, deadline, nowMs);
    if (known === undefined || isTerminal(known)) return { state: known, isToSend: false };
    const { operation } = advanceOperation(known, { kind: 'stop' }, nowMs);
    return { state: stopAskedBy(known, operation, target.attempt?.actor ?? null), isToSend: true };
  }

  /** A storage whose disk is full can still be read; if it cannot be read, the operation is assumed to run, as the caller claims. */
  async #lastKnownOperation(
    { deviceNo, operationId }: OperationTarget,
    deadline: UrgentDeadline,
    nowMs: number,
  ): Promise<OperationState | undefined> {
    try {
      const reading = this.#parts.app.urgent.operations.find(deviceNo, operationId);
      const found = await within(deadline.left('answerMs'), reading);
      if (found !== LATE) return found;
    } catch (error) {
      if (!isStorageFault(error)) throw error;
    }
    const assumedReport = { operation_id: operationId, state: 'running', amount_kg: 0, ts: nowMs } as const;
    return unsolicitedOperation(deviceNo, assumedReport, nowMs) ?? undefined;
  }

  /** An emergency stop that is refused, for example because the device cannot be commanded, is not stored later either. */
  async #storing(
    { deviceId, commandId }: EmergencyTarget,
    issue: () => Promise<IssuedCommand>,
  ): Promise<IssuedCommand> {
    try {
      const issued = await issue();
      this.#forgetId(deviceId, commandId);
      return issued;
    } catch (error) {
      if (error instanceof Refusal && !isStorageFault(error)) this.#forgetId(deviceId, commandId);
      throw error;
    }
  }

  #forgetId(deviceId: string, commandId: string): void {
    if (this.#unstoredIds.get(deviceId) === commandId) this.#unstoredIds.delete(deviceId);
  }
}

/** The emergency stop as it would be if it were stored. */
function assumedCommand(
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
