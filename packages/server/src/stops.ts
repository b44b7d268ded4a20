import { adoptOperation, isTerminal, type OperationState } from '@granary/core/operation-state';
import { advance } from '@granary/core/operations';
import type { Store } from '@granary/store/store';
import { type DeviceCommands, operationMessage } from './device-commands.ts';
import { isStorageFault, type Outcome, type UrgentOrders } from './urgent-orders.ts';

export interface StopTarget {
  readonly deviceId: string;
  /** `null` while the storage cannot even tell that. */
  readonly deviceNo: number | null;
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
  async stop(target: StopTarget, store: () => Promise<Stored>): Promise<OperationState | undefined> {
    const { commands, orders } = this.#parts;
    const { deviceId, operationId } = target;
    const order = {
      name: `${deviceId} ${operationId}`,
      send: () => commands.send(deviceId, operationMessage(operationId, 'stop')),
      store: () => this.#store(target),
    };
    const stored = async (): Promise<Outcome<OperationState | undefined>> => {
      const stopped = await store();
      return { state: stopped?.operation, isToSend: stopped?.send === 'stop' };
    };
    return await orders.give(order, stored, () => this.#suppose(target));
  }

  async #store({ deviceId, deviceNo, operationId }: StopTarget): Promise<void> {
    const { store, now } = this.#parts;
    const known = deviceNo ?? (await store.devices.find(deviceId))?.deviceNo;
    if (known !== undefined) await store.operations.stop({ deviceNo: known, operationId, nowMs: now() });
  }

  async #suppose(target: StopTarget): Promise<Outcome<OperationState | undefined>> {
    const nowMs = this.#parts.now();
    const known = await this.#lastKnown(target, nowMs);
    if (known === undefined || isTerminal(known)) return { state: known, isToSend: false };
    return { state: advance(known, { kind: 'stop' }, nowMs).operation, isToSend: true };
  }

  /** A full disk can still be read. If not even that is possible, we know what the caller says: that it runs. */
  async #lastKnown(target: StopTarget, nowMs: number): Promise<OperationState | undefined> {
    const { deviceNo, operationId } = target;
    try {
      if (deviceNo !== null) return await this.#parts.store.operations.find(deviceNo, operationId);
    } catch (error) {
      if (!isStorageFault(error)) throw error;
    }
    const asSaid = { operation_id: operationId, state: 'running', amount_kg: 0, ts: nowMs } as const;
    return adoptOperation(deviceNo ?? 0, asSaid, nowMs) ?? undefined;
  }
}
