import { Refusal } from '@granary/contract/errors';

/** What could not be stored by then is sent all the same. */
const STORE_PATIENCE_MS = 100;
const UNSTORED_MAX = 10_000;

/** What a device must be told even while nothing can be stored. */
export interface UrgentOrder {
  /** Two that are the same have the same name. */
  readonly name: string;
  /** Tells the device, any number of times. */
  send(): unknown;
  /** Writes it down when the first attempt has failed. */
  store(): Promise<unknown>;
}

export interface Outcome<State> {
  readonly state: State;
  readonly isToSend: boolean;
}

export const isStorageFault = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'storage_full' || error.code === 'storage_unavailable');

/** Gives orders that cannot wait. One that cannot be stored is kept here and repeated until it could be. */
export class UrgentOrders {
  readonly #unstored = new Map<string, UrgentOrder>();

  /** `store` writes it down, the guard of its request included; `suppose` says what to believe if that fails. */
  async give<State>(
    order: UrgentOrder,
    store: () => Promise<Outcome<State>>,
    suppose: () => Promise<Outcome<State>>,
  ): Promise<State> {
    const impatience = setTimeout(() => order.send(), STORE_PATIENCE_MS);
    try {
      const { state, isToSend } = await store();
      if (isToSend) order.send();
      return state;
    } catch (error) {
      if (!isStorageFault(error)) throw error;
      const { state, isToSend } = await suppose();
      if (isToSend) this.#keep(order);
      return state;
    } finally {
      clearTimeout(impatience);
    }
  }

  /** Tells the devices again what could not be stored. */
  repeat(): void {
    for (const order of this.#unstored.values()) order.send();
  }

  /** Stores what could not be; from then on it is repeated from there. */
  async retry(): Promise<void> {
    await Promise.all(
      [...this.#unstored].map(async ([name, order]) => {
        await order.store();
        this.#unstored.delete(name);
      }),
    );
  }

  #keep(order: UrgentOrder): void {
    if (this.#unstored.size < UNSTORED_MAX) this.#unstored.set(order.name, order);
    order.send();
  }
}
