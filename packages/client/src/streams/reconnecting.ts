import { ApiError } from '../failures.ts';
import { isTemporary, paceOf } from '../requests/retry-policy.ts';
import type { Transport } from '../requests/transport.ts';
import { type Call, pause } from '../requests/transport.ts';

const LINE_END = /\r\n|\r|\n/;

const MEDIA_TYPE = 'text/event-stream';
/** The wait before a new connection, until the service gives another time. */
const RECONNECT_MS = 2_000;
/** The service sends a heartbeat every 3 s; a service before this version sends one every 15 s. */
const SILENCE_MS = 45_000;

export interface StreamOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** Called when the stream is connected, and when the connection is lost. */
  readonly onConnection?: (change: ConnectionChange) => void;
  /** Called with the time of this machine when anything arrives, including a heartbeat. */
  readonly onHeard?: (atMs: number) => void;
  /** The longest wait before connecting again; it replaces the one that the service gives. */
  readonly reconnectMs?: number;
  /** A connection on which nothing arrives for this time, not even a heartbeat, is replaced. */
  readonly silenceMs?: number;
}

/** `failure` is missing if the service ended the stream, as it does when it stops. */
export type ConnectionChange =
  | { readonly isConnected: true }
  | { readonly isConnected: false; readonly failure: Error | undefined };

/**
 * Yields the items of a stream, across lost connections, until the signal aborts it or the service refuses. `call` is made
 * again for each connection.
 */
export async function* reconnecting(
  transport: Transport,
  call: () => Call,
  options: StreamOptions,
): AsyncGenerator<SentEvent, void, undefined> {
  const {
    signal,
    silenceMs = SILENCE_MS,
    onConnection = () => undefined,
    onHeard = () => undefined,
  } = options;
  let reconnectMs = options.reconnectMs ?? RECONNECT_MS;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const silence = new SilenceLimit(silenceMs, signal);
    let failure: Error | undefined;
    try {
      silence.restart();
      const chunks = await transport.stream(call(), MEDIA_TYPE, silence.signal);
      onConnection({ isConnected: true });
      for await (const sent of serverSentEvents(observed(chunks, silence, onHeard))) {
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

/** The limit of silence counts only while the connection is read, so that a slow reader does not lose the connection. */
async function* observed(
  chunks: AsyncIterable<Uint8Array>,
  silence: SilenceLimit,
  onHeard: (atMs: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    silence.stop();
    onHeard(Date.now());
    yield chunk;
    silence.restart();
  }
}

const isPassing = (error: ApiError): boolean => error.status >= 500 || isTemporary(error, paceOf(false));

/** Aborts a connection on which nothing has arrived for a while, because a dead connection may never report its end. */
class SilenceLimit {
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #limitMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limitMs: number, cancelled: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    this.signal =
      cancelled === undefined ? this.#abort.signal : AbortSignal.any([cancelled, this.#abort.signal]);
  }

  /** Starts the limit again: the wait for the first chunk begins, or that for the next one. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort.abort(new Error(this.#message())), this.#limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #message(): string {
    return `nothing arrived for ${this.#limitMs / 1_000} s, not even a heartbeat; a proxy may hold the stream back`;
  }
}

/** One block of a stream. A block without data gives the position to resume from, or shows that the service is alive. */
export interface SentEvent {
  readonly id: string | null;
  readonly name: string;
  readonly data: string | null;
  /** The wait before connecting again, if the service names one. */
  readonly retryMs: number | null;
}

/** Parses a `text/event-stream`. A block that the end of the stream cuts off is ignored. */
export async function* serverSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<SentEvent, void, undefined> {
  const splitter = new LineSplitter();
  let block: string[] = [];
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) {
      if (line !== '') {
        block.push(line);
        continue;
      }
      if (block.length > 0) yield eventOf(block);
      block = [];
    }
  }
}

/** Returns each line once it is complete, and looks at each character once however the stream is cut into chunks. */
class LineSplitter {
  readonly #decoder = new TextDecoder();
  #unfinished: string[] = [];
  #endedWithCarriageReturn = false;

  push(chunk: Uint8Array): string[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    if (text === '') return [];
    // The previous line has ended already, so a line feed that completes CR LF does not end another one.
    const start = this.#endedWithCarriageReturn && text.startsWith('\n') ? 1 : 0;
    this.#endedWithCarriageReturn = text.endsWith('\r');
    const [first = '', ...others] = text.slice(start).split(LINE_END);
    this.#unfinished.push(first);
    const last = others.pop();
    if (last === undefined) return [];
    const lines = [this.#unfinished.join(''), ...others];
    this.#unfinished = [last];
    return lines;
  }
}

function eventOf(lines: readonly string[]): SentEvent {
  const data: string[] = [];
  let id: string | null = null;
  let name = 'message';
  let retryMs: number | null = null;
  for (const line of lines) {
    const { field, value } = fieldOf(line);
    if (field === 'data') data.push(value);
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'event') name = value;
    if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
  return { id, name, data: data.length === 0 ? null : data.join('\n'), retryMs };
}

/** A comment begins with the colon, so its field has no name. */
function fieldOf(line: string): { readonly field: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { field: line, value: '' };
  const start = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
  return { field: line.slice(0, colon), value: line.slice(start) };
}
