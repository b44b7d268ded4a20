import { LinkStoppedError } from '../link/link-stopped.ts';

/** Sends messages one at a time, each after the previous one was delivered. */
export class SerialSender {
  readonly #sendNext: () => Promise<void> | undefined;
  #isUnderWay = false;

  constructor(sendNext: () => Promise<void> | undefined) {
    this.#sendNext = sendNext;
  }

  /** Sends until nothing is left; has no effect while a run is already in progress. */
  sendAll(): void {
    if (!this.#isUnderWay) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isUnderWay = true;
    try {
      for (let sent = this.#sendNext(); sent !== undefined; sent = this.#sendNext()) await sent;
    } catch (failure) {
      if (!(failure instanceof LinkStoppedError)) throw failure;
    } finally {
      this.#isUnderWay = false;
    }
  }
}
