import type { EventBounds, StoredEvent } from '@granary/app/events/event-rows';
import type { LoggedEvent } from '@granary/contract/logged-event';
import { toIso } from '@granary/contract/time';

/** An encoded event, which is encoded once and shared by all streams. */
export interface Frame extends Pick<StoredEvent, 'sequence' | 'type' | 'deviceId' | 'facility'> {
  readonly bytes: Buffer;
}

/** The event as callers see it, in streams and webhooks. */
export const loggedEvent = ({ sequence, type, deviceId, atMs, actor, data }: StoredEvent): LoggedEvent =>
  // Its data was written as that of its type.
  ({ id: sequence, type, device_id: deviceId, at: toIso(atMs), actor, data }) as LoggedEvent;

export function frameOf(event: StoredEvent): Frame {
  const { sequence, type, deviceId, facility } = event;
  const text = `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(loggedEvent(event))}\n\n`;
  return { sequence, type, deviceId, facility, bytes: Buffer.from(text) };
}

const RECONNECT_MS = 2_000;

/** Sent first, so that a reader knows that it is connected and from where to resume if it is disconnected before any event. */
export const opening = (fromSequence: number | null): string =>
  fromSequence === null ? `retry: ${RECONNECT_MS}\n\n` : `retry: ${RECONNECT_MS}\nid: ${fromSequence}\n\n`;

/** Contains the position, so that a reader whose filter matches nothing does not fall behind the retention. */
export const heartbeat = (position: number): string => `: heartbeat\nid: ${position}\n\n`;

/** The position from which the reader resumes is no longer stored, so it must read the present state instead. */
export const reset = (bounds: EventBounds): string =>
  `id: ${bounds.newest}\nevent: reset\ndata: ${JSON.stringify(bounds)}\n\n`;
