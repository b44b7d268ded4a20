import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { EventReset, EventType, LoggedEvent } from '@granary/contract/events';
import { callOf } from './derive.ts';
import { ApiError } from './failures.ts';
import { serverSentEvents } from './server-sent-events.ts';
import type { Transport } from './transport.ts';

/** Used until the service gives another time. */
const RECONNECT_MS = 2_000;

export interface EventFilter {
  readonly deviceIds?: readonly string[];
  readonly types?: readonly EventType[];
  /** Resume after this event; without it the stream begins with the next one. */
  readonly lastEventId?: number;
  readonly signal?: AbortSignal;
}

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
  const { deviceIds, types, signal = new AbortController().signal } = filter;
  const query = { device_id: deviceIds?.join(','), type: types?.join(',') };
  const call = callOf(endpoints.events.stream, roots, [query]);
  let reconnectMs = RECONNECT_MS;
  let lastEventId = filter.lastEventId?.toString();
  while (!signal.aborted) {
    try {
      const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const chunks = await transport.stream({ ...call, headers }, signal);
      for await (const { id, name, data, retryMs } of serverSentEvents(chunks)) {
        lastEventId = id ?? lastEventId;
        reconnectMs = retryMs ?? reconnectMs;
        if (data !== null) yield itemOf(name, data);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status < 500) throw error;
    }
    await pause(reconnectMs, signal);
  }
}

const itemOf = (name: string, data: string): StreamItem =>
  name === 'reset' ? { kind: 'reset', bounds: JSON.parse(data) } : { kind: 'event', event: JSON.parse(data) };

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const giveUp = (): void => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener('abort', giveUp, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', giveUp));
}
