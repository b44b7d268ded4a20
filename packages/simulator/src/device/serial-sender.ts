import { LinkStoppedError } from './device-link.ts';

/** Carries one thing after the other, each only when the one before has arrived, until there is nothing to carry. */
export class SerialSender {
  readonly #carryNext: () => Promise<void> | undefined;
  #isUnderWay = false;

  constructor(carryNext: () => Promise<void> | undefined) {
    this.#carryNext = carryNext;
  }

  /** Sets out, unless it is under way already. */
  go(): void {
    if (!this.#isUnderWay) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isUnderWay = true;
    try {
      for (let carried = this.#carryNext(); carried !== undefined; carried = this.#carryNext()) await carried;
    } catch (failure) {
      if (!(failure instanceof LinkStoppedError)) throw failure;
    } finally {
      this.#isUnderWay = false;
    }
  }
}
