import type { Method } from '@granary/contract/endpoints/declaration/endpoint';

export const IDEMPOTENCY_KEY = 'idempotency-key';

export type Query = Readonly<Record<string, string | number | undefined>>;

/** What every method takes as its last argument. */
export interface CallOptions {
  /** Cancels the call, also while it waits to be repeated; the method then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** The time after which the call fails, with all its repetitions; 0 sends it once, with the usual limit for one answer. */
  readonly timeLimitMs?: number;
  /** Requests with the same key are carried out once and get the same answer; without one the client makes a key for each call. */
  readonly idempotencyKey?: string;
  /** The change is made only if the resource still has this version. */
  readonly ifMatch?: string;
  /** The person or program that asks for the change, for the audit log. */
  readonly actor?: string;
}

/** One request, which may be sent several times. */
export interface Call {
  readonly method: Method;
  readonly path: string;
  /** A stop: it is repeated quickly. */
  readonly isUrgent: boolean;
  readonly query?: Query;
  readonly body?: unknown;
  /** A body that is already JSON text. */
  readonly json?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: CallOptions;
}

/** A repetition with the same key is carried out once; reads, replacements, removals and stops can be repeated without one. */
export const isRepeatable = ({ method, headers, isUrgent }: Call): boolean =>
  method !== 'POST' || isUrgent || IDEMPOTENCY_KEY in headers;

/** 128 random bits. `crypto.randomUUID` is missing in browsers for pages without TLS. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Waits; rejects with the reason of the signal as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
}
