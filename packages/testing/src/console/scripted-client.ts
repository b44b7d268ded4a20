import type { Client, LoggedEvent, StreamItem } from '@granary/client';
import type { FleetAlert, FleetDevice, NewestValues } from '@granary/contract/fleet';

interface StreamOptions {
  readonly signal?: AbortSignal;
  readonly onConnection?: (
    change: { isConnected: true } | { isConnected: false; failure: undefined },
  ) => void;
  readonly onHeard?: (atMs: number) => void;
}

/** A stream that a test connects, feeds and cuts. */
class ScriptedStream<Item> {
  readonly #items: Item[] = [];
  #wake = (): void => undefined;
  #options: StreamOptions | undefined;
  #failure: unknown;

  get isOpen(): boolean {
    return this.#options !== undefined;
  }

  connect(): void {
    this.#options?.onConnection?.({ isConnected: true });
  }

  cut(): void {
    this.#options?.onConnection?.({ isConnected: false, failure: undefined });
  }

  /** Delivers a heartbeat. */
  beat(atMs = Date.now()): void {
    this.#options?.onHeard?.(atMs);
  }

  send(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  refuse(failure: unknown): void {
    this.#failure = failure;
    this.#wake();
  }

  async *open(options: StreamOptions): AsyncGenerator<Item, void, undefined> {
    this.#options = options;
    const { signal } = options;
    signal?.addEventListener('abort', () => this.#wake());
    while (signal?.aborted !== true) {
      if (this.#failure !== undefined) throw this.#failure;
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    this.#options = undefined;
  }
}

interface Answer {
  readonly devices: readonly FleetDevice[];
  readonly alerts: readonly FleetAlert[];
}

/** A service whose answers and streams a test controls. A read of the whole site waits until the test answers it. */
export class ScriptedClient {
  readonly events = new ScriptedStream<StreamItem>();
  readonly readings = new ScriptedStream<NewestValues>();
  readonly #reads: ((answer: Answer | Error) => void)[] = [];
  #current: Promise<Answer> | undefined;
  lastEventId = 1;

  get readsWaiting(): number {
    return this.#reads.length;
  }

  /** Answers the oldest waiting read. */
  answer(answer: Partial<Answer> | Error): void {
    const waiting = this.#reads.shift();
    if (waiting === undefined) throw new Error('nothing is being read');
    waiting(answer instanceof Error ? answer : { devices: [], alerts: [], ...answer });
  }

  /** Delivers an event, whose data need not be complete. */
  event(event: Pick<LoggedEvent, 'type' | 'device_id'> & { readonly data: object }): void {
    const logged = { id: 1, at: '2026-11-16T00:00:00Z', actor: null, ...event } as LoggedEvent;
    this.events.send({ kind: 'event', event: logged });
  }

  get client(): Client {
    return {
      events: { stream: (options: StreamOptions) => this.events.open(options) },
      readings: { stream: (options: StreamOptions) => this.readings.open(options) },
      fleet: {
        // This is the first call of a read; the calls after it belong to the same read.
        overview: async () => {
          this.#current = new Promise((resolve, reject) => {
            this.#reads.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
          });
          await this.#current;
          return {
            at: '2026-11-16T00:00:00Z',
            last_event_id: this.lastEventId,
            under_way: { operations: 0, missions: 0, commands: 0 },
          };
        },
        devicesAll: () => itemsOf(this.#current, ({ devices }) => devices),
        timeZones: async () => ({ service: 'UTC', facilities: [] }),
        alertsAll: () => itemsOf(this.#current, ({ alerts }) => alerts),
      },
    } as unknown as Client;
  }
}

async function* itemsOf<Item>(
  answer: Promise<Answer> | undefined,
  itemsIn: (answer: Answer) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  if (answer !== undefined) yield* itemsIn(await answer);
}
