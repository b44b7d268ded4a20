import { ApiError, type Client, type StreamItem } from '@granary/client';
import type { NewestValues } from '@granary/contract/fleet';
import { SILENCE_MS_MAX } from '../silence.ts';

const SIGNED_OUT: StreamRefusal = { status: 401, code: 'unauthorized', message: 'the session has ended' };

/** The streams of the service that windows share. */
export interface StreamedItems {
  readonly events: StreamItem;
  readonly readings: NewestValues;
}

export type StreamName = keyof StreamedItems;

/** A message of a window. `follower` is a number that the window gives to each stream that it follows. */
export type WindowMessage =
  | {
      readonly kind: 'follow';
      readonly stream: StreamName;
      readonly follower: number;
      readonly keyId: string;
    }
  | { readonly kind: 'leave'; readonly follower: number }
  | { readonly kind: 'close' }
  | { readonly kind: 'signed_out' };

interface StreamRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A message to the windows. `alive` is repeated, so that a window notices the end of the worker. */
export type HubMessage =
  | { readonly kind: 'alive' }
  | { readonly kind: 'connection'; readonly follower: number; readonly isConnected: boolean }
  /** Something has arrived at this time of the machine, even if only a heartbeat. */
  | { readonly kind: 'heard'; readonly follower: number; readonly atMs: number }
  | { readonly kind: 'item'; readonly follower: number; readonly item: StreamedItems[StreamName] }
  | { readonly kind: 'refused'; readonly follower: number; readonly refusal: StreamRefusal };

export const ALIVE_EVERY_MS = 5_000;

/** A stream of many devices receives messages all the time; the windows are told of them at most this often, which is enough for people. */
const HEARD_EVERY_MS = 500;

/** The connection to one window. */
export interface WindowPort {
  postMessage(message: HubMessage): void;
}

/**
 * Holds each stream of a browser once, however many windows it has: a browser opens at most six connections to a service, and the streams
 * of every window would leave none for other requests.
 */
export class StreamHub {
  readonly #streams: { readonly [Name in StreamName]: SharedStream<StreamedItems[Name]> };
  readonly #windows = new Set<WindowPort>();
  /** The key with which the windows have signed in; a browser has one session. */
  #keyId: string | null = null;

  constructor(client: Pick<Client, 'events' | 'readings'>) {
    this.#streams = {
      events: new SharedStream((options) => client.events.stream(options)),
      readings: new SharedStream((options) => client.readings.stream(options), withNewerValues),
    };
  }

  open(window: WindowPort): void {
    this.#windows.add(window);
    window.postMessage({ kind: 'alive' });
  }

  sayAlive(): void {
    for (const window of this.#windows) window.postMessage({ kind: 'alive' });
  }

  take(window: WindowPort, message: WindowMessage): void {
    const streams = Object.values(this.#streams);
    switch (message.kind) {
      case 'follow':
        this.#follow(window, message);
        break;
      case 'leave':
        for (const stream of streams)
          stream.leave((one) => one.number === message.follower && one.window === window);
        break;
      case 'close':
        for (const stream of streams) stream.leave((one) => one.window === window);
        this.#windows.delete(window);
        break;
      case 'signed_out':
        this.#endSession();
    }
  }

  /** A window that has signed in with another key ends the session of the other windows, because the cookie is not theirs any more. */
  #follow(window: WindowPort, { stream, follower, keyId }: WindowMessage & { kind: 'follow' }): void {
    if (this.#keyId !== null && this.#keyId !== keyId) this.#endSession();
    this.#keyId = keyId;
    this.#streams[stream].follow({ window, number: follower });
  }

  #endSession(): void {
    this.#keyId = null;
    for (const stream of Object.values(this.#streams)) stream.refuse(SIGNED_OUT);
  }
}

interface Follower {
  readonly window: WindowPort;
  readonly number: number;
}

interface StreamOptions {
  readonly signal: AbortSignal;
  readonly onConnection: (change: { readonly isConnected: boolean }) => void;
  readonly onHeard: (atMs: number) => void;
  readonly silenceMs: number;
}

/** One stream of the service, which is open while any window follows it. */
class SharedStream<Item extends StreamedItems[StreamName]> {
  readonly #openStream: (options: StreamOptions) => AsyncIterable<Item>;
  readonly #merge: ((kept: Item | null, item: Item) => Item) | null;
  #followers: readonly Follower[] = [];
  #connection: AbortController | null = null;
  #isConnected = false;
  /** The items that a later follower has missed, merged into one. */
  #kept: Item | null = null;

  constructor(
    openStream: (options: StreamOptions) => AsyncIterable<Item>,
    merge: ((kept: Item | null, item: Item) => Item) | null = null,
  ) {
    this.#openStream = openStream;
    this.#merge = merge;
  }

  follow(follower: Follower): void {
    this.#followers = [...this.#followers, follower];
    if (this.#connection === null) void this.#run();
    else if (this.#isConnected) {
      follower.window.postMessage({ kind: 'connection', follower: follower.number, isConnected: true });
      if (this.#kept !== null)
        follower.window.postMessage({ kind: 'item', follower: follower.number, item: this.#kept });
    }
  }

  leave(isLeaving: (follower: Follower) => boolean): void {
    this.#followers = this.#followers.filter((one) => !isLeaving(one));
    if (this.#followers.length === 0) this.#close();
  }

  refuse(refusal: StreamRefusal): void {
    const followers = this.#followers;
    this.#followers = [];
    this.#close();
    for (const { window, number } of followers)
      window.postMessage({ kind: 'refused', follower: number, refusal });
  }

  async #run(): Promise<void> {
    const connection = new AbortController();
    const { signal } = connection;
    this.#connection = connection;
    const onConnection = ({ isConnected }: { readonly isConnected: boolean }): void => {
      if (signal.aborted) return;
      this.#isConnected = isConnected;
      this.#kept = null;
      for (const { window, number } of this.#followers)
        window.postMessage({ kind: 'connection', follower: number, isConnected });
    };
    let toldAtMs = 0;
    const onHeard = (atMs: number): void => {
      if (signal.aborted || Math.abs(atMs - toldAtMs) < HEARD_EVERY_MS) return;
      toldAtMs = atMs;
      for (const { window, number } of this.#followers)
        window.postMessage({ kind: 'heard', follower: number, atMs });
    };
    try {
      const options = { signal, onConnection, onHeard, silenceMs: SILENCE_MS_MAX };
      for await (const item of this.#openStream(options)) {
        if (signal.aborted) return;
        this.#kept = this.#merge?.(this.#kept, item) ?? null;
        for (const { window, number } of this.#followers)
          window.postMessage({ kind: 'item', follower: number, item });
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, code, message } = error;
      if (!signal.aborted) this.refuse({ status, code, message });
    }
  }

  #close(): void {
    this.#connection?.abort();
    this.#connection = null;
    this.#isConnected = false;
    this.#kept = null;
  }
}

/** The service sends the values of all devices only at the beginning of a stream, so they are kept for later windows. */
function withNewerValues(kept: NewestValues | null, { at, devices }: NewestValues): NewestValues {
  const values = new Map([...(kept?.devices ?? []), ...devices].map((one) => [one.device_id, one]));
  return { at, devices: [...values.values()] };
}
