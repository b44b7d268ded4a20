import { Refusal } from '@granary/contract/errors';
import { adoptOperation, isTerminal, type OperationState } from '@granary/core/operation-state';
import { advance } from '@granary/core/operations';
import type { Store } from '@granary/store/store';
import type { OperationCommands } from './operations.ts';

/** A stop that could not be stored by then is sent all the same. */
const STORE_PATIENCE_MS = 100;
const UNSTORED_STOPS_MAX = 10_000;

export interface StopTarget {
  readonly deviceId: string;
  /** `null` while the storage cannot even tell that. */
  readonly deviceNo: number | null;
  readonly operationId: string;
}

type Stored = Awaited<ReturnType<Store['operations']['stop']>>;

interface StopParts {
  readonly store: Store;
  readonly commands: OperationCommands;
  readonly now: () => number;
}

export const isStorageFault = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'storage_full' || error.code === 'storage_unavailable');

/** Stops operations, also while nothing can be stored: then the stop is kept here and repeated until it could be. */
export class Stops {
  readonly #parts: StopParts;
  readonly #unstored = new Map<string, StopTarget>();

  constructor(parts: StopParts) {
    this.#parts = parts;
  }

  /** `undefined` if the device has no such operation. `store` writes the stop, the guard of its request included. */
  async stop(target: StopTarget, store: () => Promise<Stored>): Promise<OperationState | undefined> {
    const { commands } = this.#parts;
    const { deviceId, operationId } = target;
    const impatience = setTimeout(() => void commands.send(deviceId, operationId, 'stop'), STORE_PATIENCE_MS);
    try {
      const stored = await store();
      if (stored?.send === 'stop') await commands.send(deviceId, operationId, 'stop');
      return stored?.operation;
    } catch (error) {
      if (!isStorageFault(error)) throw error;
      return await this.#stopUnstored(target);
    } finally {
      clearTimeout(impatience);
    }
  }

  /** Tells the devices again what could not be stored. */
  async repeat(): Promise<void> {
    const { commands } = this.#parts;
    const targets = [...this.#unstored.values()];
    await Promise.all(
      targets.map(({ deviceId, operationId }) => commands.send(deviceId, operationId, 'stop')),
    );
  }

  /** Stores what could not be; from then on it is repeated from there. */
  async retry(): Promise<void> {
    await Promise.all(
      [...this.#unstored].map(async ([key, target]) => {
        await this.#store(target);
        this.#unstored.delete(key);
      }),
    );
  }

  async #store({ deviceId, deviceNo, operationId }: StopTarget): Promise<Stored> {
    const { store, now } = this.#parts;
    const known = deviceNo ?? (await store.devices.find(deviceId))?.deviceNo;
    if (known === undefined) return undefined;
    return await store.operations.stop({ deviceNo: known, operationId, nowMs: now() });
  }

  async #stopUnstored(target: StopTarget): Promise<OperationState | undefined> {
    const { commands, now } = this.#parts;
    const nowMs = now();
    const known = await this.#lastKnown(target, nowMs);
    if (known === undefined || isTerminal(known)) return known;
    if (this.#unstored.size < UNSTORED_STOPS_MAX) {
      this.#unstored.set(`${target.deviceId} ${target.operationId}`, target);
    }
    await commands.send(target.deviceId, target.operationId, 'stop');
    return advance(known, { kind: 'stop' }, nowMs).operation;
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
