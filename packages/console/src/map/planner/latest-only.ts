/** Runs the newest of the wanted works, one after the other and with a pause between them; older ones are left out. */
export class LatestOnly {
  readonly #pauseMs: number;
  #wanted: (() => Promise<void>) | null = null;
  #isRunning = false;

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  run(work: () => Promise<void>): void {
    this.#wanted = work;
    if (!this.#isRunning) void this.#runAll();
  }

  forget(): void {
    this.#wanted = null;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let work = this.#wanted; work !== null; work = this.#wanted) {
      this.#wanted = null;
      await work();
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    }
    this.#isRunning = false;
  }
}
