import type { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';

const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 2 * SECOND_MS;

/** The time from a failure of the storage until the next success; further attempts are made less and less often. */
export class Outage {
  readonly #retry: () => void;
  #current: { readonly fault: Refusal; readonly retryMs: number; timer: NodeJS.Timeout | null } | null = null;

  constructor(retry: () => void) {
    this.#retry = retry;
  }

  /** `null` while the storage is available. */
  get fault(): Refusal | null {
    return this.#current?.fault ?? null;
  }

  /** True until the next attempt. */
  get isPausing(): boolean {
    return this.#current !== null && this.#current.timer !== null;
  }

  /** Plans the next attempt. */
  failed(fault: Refusal): void {
    const retryMs = this.#current === null ? RETRY_MS_MIN : Math.min(2 * this.#current.retryMs, RETRY_MS_MAX);
    this.#current = { fault, retryMs, timer: setTimeout(() => this.#attempt(), retryMs) };
  }

  #attempt(): void {
    if (this.#current !== null) this.#current.timer = null;
    this.#retry();
  }

  end(): void {
    clearTimeout(this.#current?.timer ?? undefined);
    this.#current = null;
  }
}
