import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@granary/common/patience';
import type { ExternalLimits } from '../limits.ts';
import type { BrokerConnection } from './broker-connection.ts';
import { isRefusal } from './packets.ts';

interface KeptParts {
  readonly limits: ExternalLimits;
  /** Opens a connection that calls `closed` when it has ended. */
  readonly open: (closed: (error: Error | null) => void) => Promise<BrokerConnection>;
  /** Work that must succeed before the connection is used, such as subscribing. */
  readonly prepare: (connection: BrokerConnection) => Promise<void>;
  readonly mayOpen: () => boolean;
  /** Is called with `null` when the connection is ready, otherwise with the reason why it ended or could not be opened. */
  readonly changed: (error: Error | null) => void;
}

/** A connection that is opened again when it has ended, until it is stopped. */
export class KeptConnection {
  readonly #parts: KeptParts;
  #connection: BrokerConnection | null = null;
  #isOpening = false;
  #isStopped = false;
  #readySinceMs = 0;
  /** The number of attempts in a row that failed or whose connection ended soon. */
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: KeptParts) {
    this.#parts = parts;
  }

  /** The connection; `null` while it is not open, or not prepared. */
  get ready(): BrokerConnection | null {
    return !this.#isOpening && this.#connection?.isOpen ? this.#connection : null;
  }

  /**
   * Resolves when the connection is ready, or when it may not be opened now (`mayOpen`) and will be opened later. Rejects if the
   * broker refuses it, or if it cannot be used for too long.
   */
  async start(): Promise<void> {
    const { limits, mayOpen, changed } = this.#parts;
    const untilMs = performance.now() + limits.startMsMax;
    for (;;) {
      if (!mayOpen()) return this.#retryLater();
      try {
        return await this.#open();
      } catch (thrown) {
        const error = asError(thrown);
        if (this.#isStopped || isRefusal(error) || performance.now() >= untilMs) throw error;
        this.#failures += 1;
        changed(error);
        await sleep(this.#waitMs());
      }
    }
  }

  /** Opens the connection now or later; nothing waits for it. */
  startLater(): void {
    void this.#retry();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#connection?.leave();
  }

  async #open(): Promise<void> {
    const { open, prepare, changed } = this.#parts;
    if (this.#isStopped) throw new Error('the service stops');
    this.#isOpening = true;
    try {
      const connection = await open((error) => this.#closed(error));
      this.#connection = connection;
      if (this.#isStopped) connection.leave();
      else await this.#prepared(connection, prepare);
    } finally {
      this.#isOpening = false;
    }
    this.#readySinceMs = performance.now();
    if (!this.#isStopped) changed(null);
  }

  async #prepared(connection: BrokerConnection, prepare: KeptParts['prepare']): Promise<void> {
    try {
      await prepare(connection);
    } catch (error) {
      connection.fail(asError(error));
      throw error;
    }
    if (!connection.isOpen) throw new Error('the connection to the broker has ended');
  }

  /** A connection that ends while it is being prepared makes its opening fail. */
  #closed(error: Error | null): void {
    if (this.#isOpening || this.#isStopped) return;
    const hasLasted = performance.now() - this.#readySinceMs > this.#parts.limits.reconnectMsMax;
    this.#failures = hasLasted || error === null ? 0 : this.#failures + 1;
    this.#parts.changed(error ?? new Error('the service left'));
    this.#retryLater();
  }

  #retryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#retry(), this.#waitMs());
  }

  /** The wait has a random part, so that not all nodes return at the same time. */
  #waitMs(): number {
    const { reconnectMs, reconnectMsMax } = this.#parts.limits;
    const waitMs = backoffMs(this.#failures + 1, { firstMs: reconnectMs, longestMs: reconnectMsMax });
    return waitMs * (0.5 + Math.random() / 2);
  }

  async #retry(): Promise<void> {
    try {
      if (this.#parts.mayOpen()) await this.#open();
      else this.#retryLater();
    } catch (error) {
      if (this.#isStopped) return;
      this.#failures += 1;
      this.#parts.changed(asError(error));
      this.#retryLater();
    }
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
