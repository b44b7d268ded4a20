import { adoptOperation, isTerminal, type OperationState } from '@granary/core/operation-state';
import { advance } from '@granary/core/operations';
import { isStorageFault } from '@granary/store/errors';
import type { Store } from '@granary/store/store';
import { type DeviceCommands, operationMessage } from './device-commands.ts';
import type { UrgentDeadline } from './urgent-deadline.ts';
import type { Given, Outcome, UrgentOrders } from './urgent-orders.ts';
import { LATE, within } from './within.ts';

export interface StopTarget {
  readonly deviceId: string;
  readonly deviceNo: number;
  readonly operationId: string;
}

type Stored = Awaited<ReturnType<Store['operations']['stop']>>;

interface StopParts {
  readonly store: Store;
  readonly commands: DeviceCommands;
  readonly orders: UrgentOrders;
  readonly now: () => number;
}

/** Stops operations, also while nothing can be stored. */
export class Stops {
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
      store: () => this.#parts.store.urgent.operations.stop({ deviceNo, operationId, nowMs: now() }),
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
    return { state: advance(known, { kind: 'stop' }, nowMs).operation, isToSend: true };
  }

  /** A full disk can still be read. If not even that is possible, we know what the caller says: that it runs. */
  async #lastKnown(
    { deviceNo, operationId }: StopTarget,
    deadline: UrgentDeadline,
    nowMs: number,
  ): Promise<OperationState | undefined> {
    try {
      const reading = this.#parts.store.urgent.operations.find(deviceNo, operationId);
      const found = await within(deadline.left('answerMs'), reading);
      if (found !== LATE) return found;
    } catch (error) {
      if (!isStorageFault(error)) throw error;
    }
    const asSaid = { operation_id: operationId, state: 'running', amount_kg: 0, ts: nowMs } as const;
    return adoptOperation(deviceNo, asSaid, nowMs) ?? undefined;
  }
}
