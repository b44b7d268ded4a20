import { ApiError } from '../failures.ts';
import type { Call } from '../requests/call.ts';
import { pause } from '../requests/pause.ts';
import { isTemporary, paceOf } from '../requests/retry-policy.ts';
import type { Transport } from '../requests/transport.ts';
import { type SentEvent, serverSentEvents } from './server-sent-events.ts';
import { SilenceLimit } from './silence.ts';

const MEDIA_TYPE = 'text/event-stream';
/** Used until the service gives another time. */
const RECONNECT_MS = 2_000;
/** The service sends a heartbeat every 15 s. */
const SILENCE_MS = 45_000;

export interface StreamOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** Called when the stream is connected, and when the connection is lost. */
  readonly onConnection?: (change: ConnectionChange) => void;
  /** The longest wait before connecting again, instead of the one that the service gives. */
  readonly reconnectMs?: number;
  /** A connection on which nothing arrives for this time, not even a heartbeat, is replaced. */
  readonly silenceMs?: number;
}

/** `failure` is missing where the service ended the stream, as it does when it stops. */
export type ConnectionChange =
  | { readonly isConnected: true }
  | { readonly isConnected: false; readonly failure: Error | undefined };

/**
 * Yields what arrives on a stream, across lost connections, until the signal aborts it or the service refuses. `call` is
 * made anew for each connection.
 */
export async function* reconnecting(
  transport: Transport,
  call: () => Call,
  options: StreamOptions,
): AsyncGenerator<SentEvent, void, undefined> {
  const { signal, silenceMs = SILENCE_MS, onConnection = () => undefined } = options;
  let reconnectMs = options.reconnectMs ?? RECONNECT_MS;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const silence = new SilenceLimit(silenceMs, signal);
    let failure: Error | undefined;
    try {
      silence.restart();
      const chunks = await transport.stream(call(), MEDIA_TYPE, silence.signal);
      onConnection({ isConnected: true });
      for await (const sent of serverSentEvents(observed(chunks, silence))) {
        // Several events may have arrived at once before the iteration was ended.
        if (isOver()) return;
        reconnectMs = options.reconnectMs ?? sent.retryMs ?? reconnectMs;
        yield sent;
      }
    } catch (error) {
      if (isOver()) return;
      if (error instanceof ApiError && !isPassing(error)) throw error;
      failure = error as Error;
    } finally {
      silence.stop();
    }
    onConnection({ isConnected: false, failure });
    const askedMs = failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(askedMs, reconnectMs * (0.5 + Math.random() / 2));
    await pause(waitMs, signal).catch(() => undefined);
  }
}

/** The clock of the silence runs only while the connection is read, so a slow reader does not lose it. */
async function* observed(
  chunks: AsyncIterable<Uint8Array>,
  silence: SilenceLimit,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    silence.stop();
    yield chunk;
    silence.restart();
  }
}

const isPassing = (error: ApiError): boolean => error.status >= 500 || isTemporary(error, paceOf(false));
