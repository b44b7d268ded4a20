/** Runs the numbering of events; those that ask while it runs share the next run. */
export class EventNumbering {
  readonly #number: () => Promise<unknown>;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(number: () => Promise<unknown>) {
    this.#number = number;
  }

  /**
   * Resolves after a run that began after the call. A run that fails is not an error of the write that logged the events, which
   * is committed: the next run of any node numbers them.
   */
  run(): Promise<void> {
    if (this.#running === null) return this.#start();
    this.#next ??= this.#running.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = null;
    const running = this.#number()
      .then(ignore, ignore)
      .finally(() => {
        if (this.#running === running) this.#running = null;
      });
    this.#running = running;
    return running;
  }
}

const ignore = (): void => undefined;
