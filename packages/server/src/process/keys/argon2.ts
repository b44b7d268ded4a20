import type { Argon2Parameters } from 'node:crypto';
import { Worker } from 'node:worker_threads';

export type Argon2Job = Pick<
  Argon2Parameters,
  'message' | 'nonce' | 'tagLength' | 'memory' | 'passes' | 'parallelism'
>;

/** Computes in a thread of its own, which leaves the processor to stops and readings; one job at a time. */
export class Argon2 {
  #thread: Worker | undefined;
  #answer: PromiseWithResolvers<Uint8Array> | undefined;

  async derive(job: Argon2Job): Promise<Buffer> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const answer = Promise.withResolvers<Uint8Array>();
    this.#answer = answer;
    thread.ref();
    thread.postMessage(job);
    try {
      return Buffer.from(await answer.promise);
    } finally {
      thread.unref();
    }
  }

  /** The thread is started with the first password, because of its memory; after one has failed, a new one is started. */
  #start(): Worker {
    const thread = new Worker(new URL('./argon2-thread.ts', import.meta.url));
    const lost = (error: unknown): void => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#answer?.reject(error);
    };
    thread.on('message', (tag: Uint8Array) => this.#answer?.resolve(tag));
    thread.on('error', lost);
    thread.on('exit', () => lost(new Error('the thread that compares passwords has ended')));
    return thread;
  }
}
