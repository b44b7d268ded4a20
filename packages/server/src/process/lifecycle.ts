/** A part of the service that works from its start to its stop. */
export interface Part {
  start(): Promise<void> | void;
  stop(): Promise<void> | void;
}

type Undo = () => Promise<void> | void;

/** Stops the started parts in reverse order, when the service ends or when a later step of its start fails. */
export class Lifecycle {
  readonly #undos: Undo[] = [];

  /** Starts the parts one after the other. */
  async start(...parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      await part.start();
      this.onStop(() => part.stop());
    }
  }

  /** Registers work for the stop. It is done before everything that was registered or started earlier is stopped. */
  onStop(undo: Undo): void {
    this.#undos.push(undo);
  }

  async stop(): Promise<void> {
    for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) await undo();
  }
}
