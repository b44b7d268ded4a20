import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import type { EventReset, EventType } from '@granary/contract/events';
import type { LoggedEvent } from '@granary/contract/logged-event';
import { ENDPOINT_OUTLINES } from '@granary/contract/outline';
import { callOf } from '../derive.ts';
import type { Transport } from '../requests/transport.ts';
import { reconnecting, type StreamOptions } from './reconnecting.ts';

export interface EventFilter extends StreamOptions {
  readonly deviceIds?: readonly string[];
  readonly types?: readonly EventType[];
  /** The stream continues after this event; without it the stream begins with the next one. */
  readonly lastEventId?: number;
}

/** `reset` means that the events since the last one are no longer stored, so the caller must read the present state. */
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
  const { deviceIds, types } = filter;
  const query = { device_id: deviceIds?.join(','), type: types?.join(',') };
  const call = callOf(ENDPOINT_OUTLINES.events.stream, roots, [query]);
  let lastEventId = filter.lastEventId?.toString();
  const next = () => ({
    ...call,
    headers: lastEventId === undefined ? call.headers : { ...call.headers, 'last-event-id': lastEventId },
  });
  for await (const { id, name, data } of reconnecting(transport, next, filter)) {
    lastEventId = id ?? lastEventId;
    if (data !== null) yield itemOf(name, data);
  }
}

const itemOf = (name: string, data: string): StreamItem =>
  name === 'reset' ? { kind: 'reset', bounds: JSON.parse(data) } : { kind: 'event', event: JSON.parse(data) };
