/** Counts writes and how long they took. */
export class WriteMeter {
  #writes = 0;
  #failedWrites = 0;
  #writeMs = 0;

  async measure<T>(write: Promise<T>): Promise<T> {
    const startedMs = performance.now();
    this.#writes++;
    try {
      return await write;
    } catch (error) {
      this.#failedWrites++;
      throw error;
    } finally {
      this.#writeMs += performance.now() - startedMs;
    }
  }

  figures() {
    return { writes: this.#writes, failedWrites: this.#failedWrites, writeMs: this.#writeMs };
  }
}
