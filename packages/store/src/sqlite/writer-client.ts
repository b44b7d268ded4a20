import type { MessagePort } from 'node:worker_threads';
import { monotonicMs } from '@granary/common/monotonic-ms';
import { type PackedError, unpackError } from '@granary/contract/errors';
import { CALL_MS_MAX, FINISH_MS_MAX, type UseCaseCall, WRITES_PENDING_MAX } from '../engine.ts';
import { outcomeUnknown, storageUnavailable } from '../errors.ts';

/** A request to the writer thread; one without a call only checks that the writer works. */
export interface Job {
  readonly id: number;
  readonly call: UseCaseCall | null;
  /** Urgent requests run before the others. */
  readonly isUrgent: boolean;
  /** After this time the caller no longer waits, so the request is not started. */
  readonly expiresAtMs: number;
}

/** A message to the writer: a job, a port over which another thread sends jobs, or the request to close. */
export type Request = Job | { readonly port: MessagePort } | 'close';

export type Outcome =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: PackedError };

type Waiting = PromiseWithResolvers<unknown>;

interface SubmitOptions {
  readonly isUrgent?: boolean;
  readonly limitMs?: number;
}

/** Sends calls to the writer thread, from any thread, and waits for their results. */
export class WriterClient {
  readonly #post: (job: Job) => void;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended: string | undefined;
  #finishAtMs = Number.POSITIVE_INFINITY;

  constructor(post: (job: Job) => void) {
    this.#post = post;
  }

  get pendingWrites(): number {
    return this.#waiting.size;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Sends a call. Without a call, only a transaction passes through the queue, which proves that the writer works. */
  async submit(call: UseCaseCall | null, options: SubmitOptions = {}): Promise<unknown> {
    const { isUrgent = false } = options;
    const limitMs = Math.max(0, Math.min(options.limitMs ?? CALL_MS_MAX, this.#finishAtMs - monotonicMs()));
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

  settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const waiting = this.#waiting.get(outcome.id);
      this.#waiting.delete(outcome.id);
      if ('failure' in outcome) waiting?.reject(unpackError(outcome.failure));
      else waiting?.resolve(outcome.result);
    }
  }

  /** Limits the calls that begin from now on. */
  finishSoon(): void {
    this.#finishAtMs = monotonicMs() + FINISH_MS_MAX;
  }

  /** Further calls are refused; those that were sent before are still written. */
  refuseFurther(why: string): void {
    this.#ended ??= why;
  }

  /** Fails all waiting calls, because nobody will answer them any more. */
  end(why: string): void {
    this.refuseFurther(why);
    for (const waiting of this.#waiting.values()) waiting.reject(storageUnavailable(this.#ended ?? why));
    this.#waiting.clear();
  }

  /** Stops waiting for a write; a write that has already begun is still completed. */
  #giveUp(id: number, limitMs: number): void {
    this.#waiting.get(id)?.reject(outcomeUnknown(`its writer did not answer within ${limitMs} ms`));
    this.#waiting.delete(id);
  }
}

/** A client in a thread that was given a port to the writer; when the writer ends, its calls fail as in an outage. */
export function clientOver(port: MessagePort): WriterClient {
  const client = new WriterClient((job) => port.postMessage(job));
  port.on('message', (outcomes: readonly Outcome[]) => client.settle(outcomes));
  port.on('close', () => client.end('its writer has ended'));
  return client;
}
