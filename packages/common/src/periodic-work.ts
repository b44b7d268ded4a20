interface WorkParts {
  /** Completes the sentence "… failed" in the log. */
  readonly doing: string;
  readonly everyMs: number;
  /** Long work ends early when `isStopped` has become true. */
  readonly run: (rounds: { readonly isStopped: boolean }) => Promise<void>;
  readonly logger: { warn(fields: { readonly err: unknown }, message: string): void };
}

/** Runs a piece of work at an interval and when woken, never twice at once; a failure is logged once until it works again. */
export class PeriodicWork {
  readonly #parts: WorkParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isWoken = false;
  #isFailing = false;
  #isStopped = false;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.#begin(), this.#parts.everyMs);
    this.#begin();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** Runs the work now, or again after the present round. */
  wake(): void {
    this.#isWoken = true;
    this.#begin();
  }

  #begin(): void {
    if (this.#timer === undefined) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      // After a failure, the next regular round is early enough.
      if (this.#isWoken && !this.#isFailing) this.#begin();
    });
  }

  async #run(): Promise<void> {
    this.#isWoken = false;
    try {
      await this.#parts.run(this);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#parts.logger.warn({ err: error }, `${this.#parts.doing} failed`);
      this.#isFailing = true;
    }
  }
}
