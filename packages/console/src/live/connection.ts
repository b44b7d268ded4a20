import { type ReadonlySignal, signal } from '@preact/signals';

/** `connecting` until everything was read for the first time. */
export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly sinceMs: number };

/** Whether what the page shows is current. */
export class Connection {
  readonly #current = signal<ConnectionState>({ state: 'connecting' });

  get current(): ReadonlySignal<ConnectionState> {
    return this.#current;
  }

  found(): void {
    this.#current.value = { state: 'live' };
  }

  /** The first loss counts, because nothing was current since then. */
  lost(nowMs: number): void {
    if (this.#current.peek().state === 'live') this.#current.value = { state: 'lost', sinceMs: nowMs };
  }
}
