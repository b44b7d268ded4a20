import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CALL_MS_MAX, type EngineFigures, type UseCaseCall, WRITES_PENDING_MAX } from '../engine.ts';
import { outcomeUnknown, storageUnavailable } from '../errors.ts';
import { reasonOf } from './errors.ts';
import { monotonicMs, type Outcome, type Request, unpackError } from './messages.ts';

type Waiting = PromiseWithResolvers<unknown>;

interface SubmitOptions {
  readonly isUrgent?: boolean;
  readonly limitMs?: number;
}

/** The main thread's side of the writer thread: sends calls and waits for their results. */
export class Writer {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #commits = 0;
  #ended: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(file: string, useCasesUrl: string) {
    const workerData = { file, useCasesUrl };
    this.#thread = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData });
    this.#thread.on('message', (outcomes: Outcome[]) => this.#settle(outcomes));
    this.#thread.on('error', (error) => this.#end(`its writer failed: ${reasonOf(error)}`));
    this.#thread.on('exit', () => this.#end('its writer has ended'));
  }

  /** Without a call it only passes through the queue and a transaction, which proves that the writer works. */
  async submit(call: UseCaseCall | null, options: SubmitOptions = {}): Promise<unknown> {
    const { isUrgent = false, limitMs = CALL_MS_MAX } = options;
    if (this.#ended !== undefined) throw storageUnavailable(this.#ended);
    if (!isUrgent && this.#waiting.size >= WRITES_PENDING_MAX) {
      throw storageUnavailable('too many writes are waiting');
    }
    const id = ++this.#lastId;
    this.#post({ id, call, isUrgent, expiresAtMs: monotonicMs() + limitMs });
    const waiting: Waiting = Promise.withResolvers();
    this.#waiting.set(id, waiting);
    const timer = setTimeout(() => this.#giveUp(id, limitMs), limitMs);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  figures(): EngineFigures {
    return { commits: this.#commits, pendingWrites: this.#waiting.size };
  }

  /** Calls submitted before are still written. */
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

  /** A write that has already begun is still completed. */
  #giveUp(id: number, limitMs: number): void {
    this.#waiting.get(id)?.reject(outcomeUnknown(`its writer did not answer within ${limitMs} ms`));
    this.#waiting.delete(id);
  }

  #settle(outcomes: readonly Outcome[]): void {
    this.#commits++;
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
