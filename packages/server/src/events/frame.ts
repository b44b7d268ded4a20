import type { EventBounds, StoredEvent } from '@granary/app/events/events';
import type { LoggedEvent } from '@granary/contract/events';
import { toIso } from '@granary/contract/time';

/** An event as it goes over the wire: written once, shared by every stream that sends it. */
export interface Frame extends Pick<StoredEvent, 'sequence' | 'type' | 'deviceId' | 'facility'> {
  readonly bytes: Buffer;
}

export function frameOf({ sequence, type, deviceId, facility, atMs, data }: StoredEvent): Frame {
  const event: LoggedEvent = { id: sequence, type, device_id: deviceId, at: toIso(atMs), data };
  const text = `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  return { sequence, type, deviceId, facility, bytes: Buffer.from(text) };
}

const RECONNECT_MS = 2_000;

/** Sent at once, so that a reader knows that it is heard, and where to go on from should it be cut off before any event. */
export const opening = (fromSequence: number | null): string =>
  fromSequence === null ? `retry: ${RECONNECT_MS}\n\n` : `retry: ${RECONNECT_MS}\nid: ${fromSequence}\n\n`;

/** Carries the position, so that a reader whose filter lets nothing through does not fall behind what is kept. */
export const heartbeat = (position: number): string => `: heartbeat\nid: ${position}\n\n`;

/** What the reader wanted to go on from is no longer kept: it has to look at the present state of things. */
export const reset = (bounds: EventBounds): string =>
  `id: ${bounds.newest}\nevent: reset\ndata: ${JSON.stringify(bounds)}\n\n`;
