import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { WRITES_PENDING_MAX } from '../engine.ts';
import { storageUnavailable } from '../errors.ts';
import type { WriteCall } from '../slices.ts';
import { reasonOf } from './errors.ts';
import { type Outcome, type Request, unpackError } from './messages.ts';

type Waiting = PromiseWithResolvers<unknown>;

/** This side of the writer thread: hands calls over and waits for their outcome. */
export class Writer {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(file: string) {
    this.#thread = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: { file } });
    this.#thread.on('message', (outcomes: Outcome[]) => this.#settle(outcomes));
    this.#thread.on('error', (error) => this.#end(`its writer failed: ${reasonOf(error)}`));
    this.#thread.on('exit', () => this.#end('its writer has ended'));
  }

  /** Without a call it only passes through the queue and a transaction, which shows that the writer is well. */
  async submit(call: WriteCall | null): Promise<unknown> {
    if (this.#ended !== undefined) throw storageUnavailable(this.#ended);
    if (this.#waiting.size >= WRITES_PENDING_MAX) throw storageUnavailable('too many writes are waiting');
    const id = ++this.#lastId;
    this.#post({ id, call });
    const waiting: Waiting = Promise.withResolvers();
    this.#waiting.set(id, waiting);
    return await waiting.promise;
  }

  /** What was submitted before is still written. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#ended = 'it is closed';
    const exit = once(this.#thread, 'exit');
    this.#post('close');
    await exit;
  }

  #post(request: Request): void {
    this.#thread.postMessage(request);
  }

  #settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const waiting = this.#waiting.get(outcome.id);
      this.#waiting.delete(outcome.id);
      if ('failure' in outcome) waiting?.reject(unpackError(outcome.failure));
      else waiting?.resolve(outcome.result);
    }
  }

  #end(why: string): void {
    this.#ended ??= why;
    for (const waiting of this.#waiting.values()) waiting.reject(storageUnavailable(this.#ended));
    this.#waiting.clear();
  }
}
