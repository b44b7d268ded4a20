import { ApiError, type Client, type LoggedEvent } from '@granary/client';
import { applyEvent } from './apply-event.ts';
import { Connection } from './connection.ts';
import { readSite } from './read-site.ts';
import { followReadings } from './readings.ts';
import { Refresher } from './refresher.ts';
import { emptySite, type Site } from './site.ts';

const RETRY_MS = 2_000;

/** Keeps what the page knows of the site true: read once, then by the event stream and the stream of newest values. */
export class Live {
  readonly site: Site = emptySite();
  readonly connection = new Connection();
  readonly #client: Client;
  readonly #sessionEnded: () => void;
  readonly #stopped = new AbortController();
  readonly #listeners = new Set<(event: LoggedEvent) => void>();
  /** Events that arrive before everything was read are applied after it. */
  #waiting: LoggedEvent[] | null = [];

  constructor(client: Client, sessionEnded: () => void) {
    this.#client = client;
    this.#sessionEnded = sessionEnded;
  }

  start(): void {
    const { signal } = this.#stopped;
    const refresher = new Refresher(this.#client, this.site, signal);
    refresher.start();
    this.site.clock.start();
    void this.#followEvents(refresher);
    void followReadings(this.#client, this.site, signal);
  }

  stop(): void {
    this.#stopped.abort();
    this.site.clock.stop();
  }

  /** For views that show more than the site holds, such as the history of alerts. Returns the way to end it. */
  onEvent(listener: (event: LoggedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #followEvents(refresher: Refresher): Promise<void> {
    const { signal } = this.#stopped;
    const onConnection = ({ isConnected }: { readonly isConnected: boolean }): void => {
      if (isConnected) void this.#readAll(refresher);
      else this.connection.lost(this.site.clock.nowMs.peek());
    };
    try {
      for await (const item of this.#client.events.stream({ signal, onConnection, reconnectMs: RETRY_MS })) {
        if (item.kind === 'reset') await this.#readAll(refresher);
        else this.#take(item.event, refresher);
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.#sessionEnded();
      else throw error;
    }
  }

  #take(event: LoggedEvent, refresher: Refresher): void {
    if (this.#waiting !== null) {
      this.#waiting.push(event);
      return;
    }
    applyEvent(event, this.site, refresher);
    for (const listener of this.#listeners) listener(event);
  }

  async #readAll(refresher: Refresher): Promise<void> {
    this.#waiting ??= [];
    while (!this.#stopped.signal.aborted) {
      try {
        await readSite(this.#client, this.site, this.#stopped.signal);
        break;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const event of waiting) this.#take(event, refresher);
    this.connection.found();
  }
}
