import type { App } from '@granary/app/app';
import { operationMessage } from '@granary/core/operations/record';
import { isTerminal, type OperationState, unsolicitedOperation } from '@granary/core/operations/state';
import { advanceOperation } from '@granary/core/operations/transitions';
import { isStorageFault } from '@granary/store/errors';
import type { DeviceCommands } from '../delivery/device-commands.ts';
import type { Given, Outcome, PriorityCommands } from './priority-commands.ts';
import type { UrgentDeadline } from './urgent-deadline.ts';
import { LATE, within } from './within.ts';

export interface StopTarget {
  readonly deviceId: string;
  readonly deviceNo: number;
  readonly operationId: string;
}

type Stored = Awaited<ReturnType<App['operations']['stop']>>;

interface StopParts {
  readonly app: App;
  readonly commands: DeviceCommands;
  readonly orders: PriorityCommands;
  readonly now: () => number;
}

/** Stops operations, also while nothing can be stored. */
export class OperationStopper {
  readonly #parts: StopParts;

  constructor(parts: StopParts) {
    this.#parts = parts;
  }

  /** `undefined` if the device has no such operation. `store` writes the stop, the guard of its request included. */
  async stop(
    target: StopTarget,
    deadline: UrgentDeadline,
    store: () => Promise<Stored>,
  ): Promise<Given<OperationState | undefined>> {
    const { commands, orders, now } = this.#parts;
    const { deviceId, deviceNo, operationId } = target;
    const order = {
      name: `${deviceId} ${operationId}`,
      deviceId,
      blocksMotion: false,
      send: () => commands.send(deviceId, operationMessage(operationId, 'stop')),
      store: () => this.#parts.app.urgent.operations.stop({ deviceNo, operationId, nowMs: now() }),
    };
    return await orders.give<OperationState | undefined>(order, {
      deadline,
      store: async () => {
        const stopped = await store();
        return { state: stopped?.operation, isToSend: stopped?.send === 'stop' };
      },
      assume: () => this.#assume(target, deadline),
    });
  }

  async #assume(target: StopTarget, deadline: UrgentDeadline): Promise<Outcome<OperationState | undefined>> {
    const nowMs = this.#parts.now();
    const known = await this.#lastKnown(target, deadline, nowMs);
    if (known === undefined || isTerminal(known)) return { state: known, isToSend: false };
    return { state: advanceOperation(known, { kind: 'stop' }, nowMs).operation, isToSend: true };
  }

  /** A full disk can still be read. If not even that is possible, we know what the caller says: that it runs. */
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
    const asSaid = { operation_id: operationId, state: 'running', amount_kg: 0, ts: nowMs } as const;
    return unsolicitedOperation(deviceNo, asSaid, nowMs) ?? undefined;
  }
}
