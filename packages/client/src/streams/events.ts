import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { EventReset, EventType, LoggedEvent } from '@granary/contract/events';
import { callOf } from '../derive.ts';
import { ApiError } from '../failures.ts';
import { pause } from '../requests/pause.ts';
import { isTemporary, paceOf } from '../requests/retry-policy.ts';
import type { Transport } from '../requests/transport.ts';
import { serverSentEvents } from './server-sent-events.ts';
import { SilenceLimit } from './silence.ts';

const MEDIA_TYPE = 'text/event-stream';
/** Used until the service gives another time. */
const RECONNECT_MS = 2_000;
/** The service sends a heartbeat every 15 s. */
const SILENCE_MS = 45_000;

export interface EventFilter {
  readonly deviceIds?: readonly string[];
  readonly types?: readonly EventType[];
  /** Resume after this event; without it the stream begins with the next one. */
  readonly lastEventId?: number;
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

/** `reset`: the events since the last one are no longer stored, so read the present state. */
export type StreamItem =
  | { readonly kind: 'event'; readonly event: LoggedEvent }
  | { readonly kind: 'reset'; readonly bounds: EventReset };

export interface EventsClient {
  /** Yields every event once, in order, across lost connections, until the signal aborts it or the service refuses. */
  stream(filter?: EventFilter): AsyncGenerator<StreamItem, void, undefined>;
}

export function eventsClient(transport: Transport, roots: GroupRoots): EventsClient {
  return { stream: (filter = {}) => follow(transport, roots, filter) };
}

async function* follow(
  transport: Transport,
  roots: GroupRoots,
  filter: EventFilter,
): AsyncGenerator<StreamItem, void, undefined> {
  const { deviceIds, types, signal, silenceMs = SILENCE_MS, onConnection = () => undefined } = filter;
  const query = { device_id: deviceIds?.join(','), type: types?.join(',') };
  const call = callOf(endpoints.events.stream, roots, [query]);
  let reconnectMs = filter.reconnectMs ?? RECONNECT_MS;
  let lastEventId = filter.lastEventId?.toString();
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const silence = new SilenceLimit(silenceMs, signal);
    let failure: Error | undefined;
    try {
      const headers: Record<string, string> =
        lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      silence.restart();
      const chunks = await transport.stream({ ...call, headers }, MEDIA_TYPE, silence.signal);
      onConnection({ isConnected: true });
      for await (const { id, name, data, retryMs } of serverSentEvents(observed(chunks, silence))) {
        lastEventId = id ?? lastEventId;
        reconnectMs = filter.reconnectMs ?? retryMs ?? reconnectMs;
        if (data !== null) yield itemOf(name, data);
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

const itemOf = (name: string, data: string): StreamItem =>
  name === 'reset' ? { kind: 'reset', bounds: JSON.parse(data) } : { kind: 'event', event: JSON.parse(data) };
