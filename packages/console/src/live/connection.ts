import { effect, type ReadonlySignal, signal } from '@preact/signals';

/** `connecting` until everything was read for the first time. */
export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly sinceMs: number };

/** What keeps the page current: the events with all that was read, and the stream of newest values. */
export type ConnectionPart = 'events' | 'readings';

/** Whether what the page shows is current. */
export class Connection {
  readonly #current = signal<ConnectionState>({ state: 'connecting' });
  readonly #lost = new Set<ConnectionPart>();

  get current(): ReadonlySignal<ConnectionState> {
    return this.#current;
  }

  found(part: ConnectionPart): void {
    this.#lost.delete(part);
    const isFirst = this.#current.peek().state === 'connecting';
    if (this.#lost.size === 0 && (part === 'events' || !isFirst)) this.#current.value = { state: 'live' };
  }

  /** The first loss counts, because not everything was current since then. */
  lost(part: ConnectionPart, nowMs: number): void {
    this.#lost.add(part);
    if (this.#current.peek().state === 'live') this.#current.value = { state: 'lost', sinceMs: nowMs };
  }
}

/** Resolves when the signal has the value, or when it does not matter any more. */
export function until(
  condition: ReadonlySignal<boolean>,
  wanted: boolean,
  stopped: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let end: (() => void) | undefined;
    const finish = (): void => {
      resolve();
      queueMicrotask(() => end?.());
    };
    stopped.addEventListener('abort', finish, { once: true });
    end = effect(() => {
      if (condition.value === wanted || stopped.aborted) finish();
    });
  });
}
