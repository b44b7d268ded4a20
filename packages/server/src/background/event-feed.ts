import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import type { EventBounds, StoredEvent } from '@granary/app/events/event-rows';
import { PeriodicWork } from '@granary/common/periodic-work';
import type { LoggedEvent } from '@granary/contract/logged-event';
import type { Handover } from '@granary/contract/shifts';
import { toIso } from '@granary/contract/time';
import type { Logger } from '../process/logging/logger.ts';

const RECONNECT_MS = 2_000;
/** How soon events of another node are read; writes of this node wake the feed. */
const POLL_MS = 250;
const EVENTS_PER_READ = 500;
/** A stop waits for one read of missed events at most. */
const MISSED_EVENTS_PER_READ = 100;

/** An encoded event, which is encoded once and shared by all streams. */
export interface EncodedEvent extends Pick<StoredEvent, 'sequence' | 'type' | 'deviceId' | 'facility'> {
  /** The facility of an event about no device: `null` means all facilities, `undefined` that the event is about none. */
  readonly place: string | null | undefined;
  readonly bytes: Buffer;
}

/** The event as callers see it, in streams and webhooks. */
export const loggedEvent = ({ sequence, type, deviceId, atMs, actor, data }: StoredEvent): LoggedEvent =>
  // The data of an event was written with the type that its event type declares.
  ({ id: sequence, type, device_id: deviceId, at: toIso(atMs), actor, data }) as LoggedEvent;

function encodedEvent(event: StoredEvent): EncodedEvent {
  const { sequence, type, deviceId, facility } = event;
  const text = `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(loggedEvent(event))}\n\n`;
  return { sequence, type, deviceId, facility, place: placeOf(event), bytes: Buffer.from(text) };
}

/** Only events about notes and handovers have a facility without a device. */
const placeOf = ({ type, deviceId, data }: StoredEvent): string | null | undefined =>
  deviceId === null && /^(note|handover)\./.test(type)
    ? (data as Pick<Handover, 'facility'>).facility
    : undefined;

/** This text is sent first, so that a reader knows that it is connected and from where to resume if it is disconnected before any event. */
export const opening = (fromSequence: number | null): string =>
  fromSequence === null ? `retry: ${RECONNECT_MS}\n\n` : `retry: ${RECONNECT_MS}\nid: ${fromSequence}\n\n`;

/** A heartbeat contains the position, so that a reader whose filter matches nothing does not fall behind the retention. */
export const heartbeat = (position: number): string => `: heartbeat\nid: ${position}\n\n`;

/** The position from which the reader resumes is no longer stored, so it must read the present state instead. */
export const reset = (bounds: EventBounds): string =>
  `id: ${bounds.newest}\nevent: reset\ndata: ${JSON.stringify(bounds)}\n\n`;

/** A reader of the log, with the position up to which it has everything. */
interface EventReader {
  readonly isClosed: boolean;
  readonly position: number;
  skipTo(sequence: number): void;
  offer(encoded: readonly EncodedEvent[]): void;
  drained(): Promise<unknown>;
}

interface EventObserver {
  observe(events: readonly StoredEvent[]): void;
}

/** Reads the event log once for all streams. */
export class EventFeed {
  readonly #app: App;
  readonly #reading: PeriodicWork;
  readonly #numbering: PeriodicWork;
  readonly #observers: EventObserver[] = [];
  readonly #streams = new Set<EventReader>();
  /** Settles when every read of missed events that was asked for has ended. */
  #missed: Promise<unknown> = Promise.resolve();
  #position = 0;

  constructor(app: App, logger: Logger) {
    this.#app = app;
    const every = { everyMs: POLL_MS, logger };
    this.#reading = new PeriodicWork({ ...every, doing: 'reading the event log', run: () => this.#read() });
    this.#numbering = new PeriodicWork({ ...every, doing: 'numbering events', run: () => this.#number() });
  }

  /** The observer gets every event of every node, soon after it was logged. */
  observe(observer: EventObserver): void {
    this.#observers.push(observer);
  }

  async start(): Promise<void> {
    this.#position = (await this.#app.events.bounds()).newest;
    this.#reading.start();
    this.#numbering.start();
  }

  async stop(): Promise<void> {
    await this.#numbering.stop();
    await this.#reading.stop();
  }

  /** The number of the newest event that was read. */
  get position(): number {
    return this.#position;
  }

  /** Reads the log now, because an event may have been written. */
  wake(): void {
    this.#reading.wake();
  }

  /** Another node may have ended before its events had numbers. */
  async #number(): Promise<void> {
    if (await this.#app.events.hasUnnumbered()) await this.#app.numberEvents();
  }

  /** Sends a stream the missing events and then every new one, without a gap. */
  async follow(stream: EventReader): Promise<void> {
    while (!stream.isClosed && stream.position < this.#position) {
      const encoded = await this.#missedAfter(stream.position);
      if (encoded.length === 0) stream.skipTo(this.#position);
      stream.offer(encoded);
      await stream.drained();
    }
    if (!stream.isClosed) this.#streams.add(stream);
  }

  drop(stream: EventReader): void {
    this.#streams.delete(stream);
  }

  async #read(): Promise<void> {
    for (let isBehind = true; isBehind; ) {
      const events = await this.#eventsAfter(this.#position, EVENTS_PER_READ);
      this.#position = events.at(-1)?.sequence ?? this.#position;
      isBehind = events.length === EVENTS_PER_READ;
      if (events.length === 0) return;
      for (const observer of this.#observers) observer.observe(events);
      const encoded = events.map(encodedEvent);
      for (const stream of this.#streams) stream.offer(encoded);
    }
  }

  /** Streams read what they have missed one after the other, each page in a turn of the event loop of its own. */
  #missedAfter(sequence: number): Promise<EncodedEvent[]> {
    const read = this.#missed
      .then(() => nextTurn())
      .then(() => this.#eventsAfter(sequence, MISSED_EVENTS_PER_READ))
      .then((events) => events.map(encodedEvent));
    this.#missed = read.catch(() => undefined);
    return read;
  }

  #eventsAfter(sequence: number, limit: number): Promise<StoredEvent[]> {
    return this.#app.events.after({ sequence, limit });
  }
}
