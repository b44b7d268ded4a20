import { Refusal } from '@granary/contract/errors';
import { unstoredStopDetail } from '@granary/core/devices/unstored-stop';
import type { Delivery } from '@granary/link/port';
import { isStorageFault } from '@granary/store/errors';
import type { UrgentDeadline } from './urgent-deadline.ts';
import { LATE, within } from './within.ts';

/** More are sent, but not repeated, and their callers are told to repeat them. */
const UNSTORED_MAX = 10_000;
const RETRIED_AT_ONCE_MAX = 100;
/** By then every request that the storage accepted before such an order has been answered. */
const BLOCKED_AFTER_STORED_MS = 5_000;

/** What a device must be told even while nothing can be stored. */
export interface PriorityCommand {
  /** Two that are the same have the same name. */
  readonly name: string;
  readonly deviceId: string;
  /** Nothing that sets the device in motion is sent before this order is stored. */
  readonly blocksMotion: boolean;
  /** Tells the device, any number of times. */
  send(): Delivery;
  /** Writes it down when the first attempt has failed. */
  store(): Promise<unknown>;
}

export interface Outcome<State> {
  readonly state: State;
  readonly isToSend: boolean;
}

export interface Given<State> {
  readonly state: State;
  /** What to tell of an order that is not stored yet; `null` when it is, or when there was nothing to send. */
  readonly unstoredDetail: string | null;
}

interface Storing<State> {
  readonly deadline: UrgentDeadline;
  /** Writes it down, the guard of its request included. */
  readonly store: () => Promise<Outcome<State>>;
  /** What to assume when that fails or takes too long. */
  readonly assume: () => Promise<Outcome<State>>;
}

/** Gives orders that cannot wait. One that cannot be stored is kept here and repeated until it could be. */
export class PriorityCommands {
  readonly #unstored = new Map<string, PriorityCommand>();
  readonly #blocking = new Set<PriorityCommand>();

  /** What was accepted while an emergency stop could not be stored must not be sent after it. */
  isMotionBlocked(deviceId: string): boolean {
    if (this.#blocking.size === 0) return false;
    return [...this.#blocking].some((order) => order.deviceId === deviceId);
  }

  async give<State>(
    order: PriorityCommand,
    { deadline, store, assume }: Storing<State>,
  ): Promise<Given<State>> {
    const sending = setTimeout(() => order.send(), deadline.left('sendMs'));
    const storing = store();
    try {
      const stored = await within(deadline.left('storeMs'), storing);
      if (stored !== LATE) {
        if (stored.isToSend) order.send();
        return { state: stored.state, unstoredDetail: null };
      }
    } catch (error) {
      // A refusal is an answer. A fault of ours, such as a damaged row, is no reason to let the device go on.
      if (error instanceof Refusal && !isStorageFault(error)) throw error;
    } finally {
      clearTimeout(sending);
    }
    const { state, isToSend } = await assume();
    if (!isToSend) return { state, unstoredDetail: null };
    const delivery = this.#keep(order, storing);
    const isSent = delivery === 'sent' || delivery === 'in_flight';
    return { state, unstoredDetail: unstoredStopDetail(isSent) };
  }

  /** Tells the devices again what could not be stored. */
  repeat(): void {
    for (const order of this.#unstored.values()) order.send();
  }

  /** Stores what could not be; from then on it is repeated from there. One that fails does not keep others from it. */
  async retry(): Promise<void> {
    const outcomes = await Promise.allSettled(
      [...this.#unstored.values()].slice(0, RETRIED_AT_ONCE_MAX).map(async (order) => {
        // A failing one goes to the end of the queue.
        this.#unstored.delete(order.name);
        this.#unstored.set(order.name, order);
        await order.store();
        this.#stored(order);
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #keep(order: PriorityCommand, storing: Promise<unknown>): Delivery {
    const delivery = order.send();
    if (this.#unstored.size >= UNSTORED_MAX) {
      throw new Refusal(
        'storage_unavailable',
        `the stop is ${delivery}, but too many wait to be stored: send it again`,
      );
    }
    this.#unstored.set(order.name, order);
    if (order.blocksMotion) this.#blocking.add(order);
    // The first attempt may still succeed after its time is over.
    storing.then(
      () => this.#stored(order),
      () => undefined,
    );
    return delivery;
  }

  #stored(order: PriorityCommand): void {
    this.#unstored.delete(order.name);
    setTimeout(() => this.#blocking.delete(order), BLOCKED_AFTER_STORED_MS).unref();
  }
}
