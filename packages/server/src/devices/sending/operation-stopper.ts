import type { App } from '@granary/app/app';
import type { Attempt } from '@granary/app/audit/audit-rows';
import { LATE, within } from '@granary/common/within';
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

export interface StopTarget {
  readonly deviceId: string;
  readonly deviceNo: number;
  readonly operationId: string;
  readonly attempt: Attempt | null;
}

type Stored = Awaited<ReturnType<App['operations']['stop']>>;

interface StopParts {
  readonly app: App;
  readonly messages: DeviceMessages;
  readonly priorityCommands: PriorityCommands;
  readonly now: () => number;
}

/** Stops operations, also while nothing can be stored. */
export class OperationStopper {
  readonly #parts: StopParts;

  constructor(parts: StopParts) {
    this.#parts = parts;
  }

  /** Returns `undefined` if the device has no such operation; `storeWithKey` writes the stop together with its idempotency key. */
  async stop(
    target: StopTarget,
    deadline: UrgentDeadline,
    storeWithKey: () => Promise<Stored>,
  ): Promise<SendResult<OperationState | undefined>> {
    const { messages, priorityCommands, now } = this.#parts;
    const { deviceId, deviceNo, operationId, attempt } = target;
    const command = {
      name: `${deviceId} ${operationId}`,
      deviceId,
      blocksMotion: false,
      send: () => messages.send(deviceId, operationMessage(operationId, 'stop')),
      storeLater: () =>
        this.#parts.app.urgent.audited(attempt).operations.stop({ deviceNo, operationId, nowMs: now() }),
    };
    return await priorityCommands.sendAndStore<OperationState | undefined>(command, {
      deadline,
      storeForCaller: async () => {
        const stopped = await storeWithKey();
        return { state: stopped?.operation, isToSend: stopped?.send === 'stop' };
      },
      assumedState: () => this.#assumedState(target, deadline),
    });
  }

  async #assumedState(
    target: StopTarget,
    deadline: UrgentDeadline,
  ): Promise<StoreResult<OperationState | undefined>> {
    const nowMs = this.#parts.now();
    const known = await this.#lastKnown(target, deadline, nowMs);
    if (known === undefined || isTerminal(known)) return { state: known, isToSend: false };
    const { operation } = advanceOperation(known, { kind: 'stop' }, nowMs);
    return { state: stopAskedBy(known, operation, target.attempt?.actor ?? null), isToSend: true };
  }

  /** A storage whose disk is full can still be read; if it cannot be read, the operation is assumed to run, as the caller claims. */
  async #lastKnown(
    { deviceNo, operationId }: StopTarget,
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
}
