import { ApiError, type Client, type StreamOptions } from '@granary/client';
import {
  ALIVE_EVERY_MS,
  type HubMessage,
  type StreamedItems,
  type StreamName,
  type WindowMessage,
} from './stream-hub.ts';

/** The page waits this long for a worker, because a worker whose script cannot be loaded may send nothing at all. */
const ANSWER_WITHIN_MS = 5_000;

/** A worker that is silent for longer has ended. In pages in the background, timers run only once a minute. */
const SILENCE_MS = 4 * ALIVE_EVERY_MS;

/** The streams that keep a page current. */
export type LiveStreams = Pick<Client, 'events' | 'readings'>;

/** The connection to the worker. */
export interface HubPort {
  postMessage(message: WindowMessage): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<HubMessage>) => void): void;
  start(): void;
  close(): void;
}

interface Following {
  readonly stream: StreamName;
  take(message: Exclude<HubMessage, { kind: 'alive' }>): void;
}

/** The streams of the worker that all windows of the browser share, with the same functions as those of the client. */
export class SharedStreams implements LiveStreams {
  readonly events: LiveStreams['events'] = { stream: (options) => this.#follow('events', options) };
  readonly readings: LiveStreams['readings'] = { stream: (options) => this.#follow('readings', options) };
  readonly #keyId: string;
  readonly #openPort: () => HubPort;
  readonly #followings = new Map<number, Following>();
  readonly #timer: ReturnType<typeof setInterval>;
  #port: HubPort;
  #heardAtMs = Date.now();
  #followed = 0;

  constructor(keyId: string, openPort: () => HubPort) {
    this.#keyId = keyId;
    this.#openPort = openPort;
    this.#port = this.#listen();
    this.#timer = setInterval(() => this.#openAfterSilence(), ALIVE_EVERY_MS);
  }

  /** Ends the session of all windows of the browser. */
  signOut(): void {
    this.#port.postMessage({ kind: 'signed_out' });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#port.postMessage({ kind: 'close' });
    this.#port.close();
  }

  #listen(): HubPort {
    const port = this.#openPort();
    port.addEventListener('message', ({ data }) => {
      this.#heardAtMs = Date.now();
      if (data.kind !== 'alive') this.#followings.get(data.follower)?.take(data);
    });
    port.start();
    return port;
  }

  #openAfterSilence(): void {
    if (Date.now() - this.#heardAtMs < SILENCE_MS) return;
    this.#heardAtMs = Date.now();
    this.#port.close();
    this.#port = this.#listen();
    for (const [follower, { stream, take }] of this.#followings) {
      take({ kind: 'connection', follower, isConnected: false });
      this.#port.postMessage({ kind: 'follow', stream, follower, keyId: this.#keyId });
    }
  }

  async *#follow<Name extends StreamName>(
    stream: Name,
    { signal, onConnection, onHeard }: StreamOptions = {},
  ): AsyncGenerator<StreamedItems[Name], void, undefined> {
    const follower = ++this.#followed;
    const items: StreamedItems[Name][] = [];
    let refusal: ApiError | null = null;
    let wake = (): void => undefined;
    const take: Following['take'] = (message) => {
      if (message.kind === 'connection')
        onConnection?.(
          message.isConnected ? { isConnected: true } : { isConnected: false, failure: undefined },
        );
      else if (message.kind === 'heard') onHeard?.(message.atMs);
      else if (message.kind === 'item') items.push(message.item as StreamedItems[Name]);
      else refusal = new ApiError(message.refusal);
      wake();
    };
    this.#followings.set(follower, { stream, take });
    signal?.addEventListener('abort', () => wake(), { once: true });
    this.#port.postMessage({ kind: 'follow', stream, follower, keyId: this.#keyId });
    try {
      while (signal?.aborted !== true) {
        if (refusal !== null) throw refusal;
        const item = items.shift();
        if (item !== undefined) yield item;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#followings.delete(follower);
      this.#port.postMessage({ kind: 'leave', follower });
    }
  }
}

const openWorker = (): SharedWorker =>
  new SharedWorker(new URL('./streams-worker.ts', import.meta.url), { type: 'module' });

/**
 * The streams of the worker that all windows of the browser share, or `null` if the browser has no such worker; then each page follows
 * the streams itself. Choosing a leader among the windows would need Web Locks, which pages without TLS do not have.
 */
export async function openSharedStreams(keyId: string): Promise<SharedStreams | null> {
  if (typeof SharedWorker === 'undefined') return null;
  try {
    const isThere = await answers(openWorker());
    return isThere ? new SharedStreams(keyId, () => openWorker().port as HubPort) : null;
  } catch {
    return null;
  }
}

function answers(worker: SharedWorker): Promise<boolean> {
  const { port } = worker;
  return new Promise((resolve) => {
    const decide = (isThere: boolean): void => {
      resolve(isThere);
      port.postMessage({ kind: 'close' });
      port.close();
    };
    port.addEventListener('message', () => decide(true), { once: true });
    worker.addEventListener('error', () => decide(false), { once: true });
    setTimeout(() => decide(false), ANSWER_WITHIN_MS);
    port.start();
  });
}
