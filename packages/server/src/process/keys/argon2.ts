import type { Argon2Parameters } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export type Argon2Job = Pick<
  Argon2Parameters,
  'message' | 'nonce' | 'tagLength' | 'memory' | 'passes' | 'parallelism'
>;

/** Computes one after the other, in a thread of its own that leaves the processor to stops and readings. */
export class Argon2 {
  #thread: Worker | undefined;

  async derive(job: Argon2Job): Promise<Buffer> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    thread.ref();
    const answered = once(thread, 'message');
    thread.postMessage(job);
    try {
      const [tag] = (await answered) as [Uint8Array];
      return Buffer.from(tag);
    } finally {
      thread.unref();
    }
  }

  /** Only when the first password comes, because of its memory. */
  #start(): Worker {
    const thread = new Worker(new URL('./argon2-thread.ts', import.meta.url));
    thread.once('exit', () => {
      this.#thread = undefined;
    });
    return thread;
  }
}
