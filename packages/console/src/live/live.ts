import { ApiError, type Client, type LoggedEvent } from '@granary/client';
import { batch, computed, effect, type ReadonlySignal, signal, signal as signalOf } from '@preact/signals';
import { Movements } from './movements.ts';
import { applyEvent, Refresher, readSite, replaceSite, type SiteRecords } from './refresher.ts';
import { Hearing, SILENCE_MS_MAX } from './silence.ts';
import { emptySite, type Site } from './site.ts';
import type { LiveStreams } from './streams/shared-streams.ts';

/** `connecting` until everything was read for the first time. */
type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `isKept`: the shown state was kept when the page was last open, and nothing was read since. */
  | { readonly state: 'lost'; readonly sinceMs: number; readonly isKept: boolean };

/** The parts that keep the page current: the events with everything that was read, and the stream of newest values. */
type ConnectionPart = 'events' | 'readings';

/** Whether what the page shows is current. */
class Connection {
  /** True when there is something to show. */
  readonly isRead = signal(false);
  readonly #current = signal<ConnectionState>({ state: 'connecting' });
  /** This is a signal of its own, because every value of the page shows it, and must not be drawn again when the page becomes live. */
  readonly isLost = computed(() => this.#current.value.state === 'lost');
  readonly #lost = new Set<ConnectionPart>();
  readonly #hearings = new Map<ConnectionPart, Hearing>();
  readonly #silenceMs = signal<number | null>(null);

  /** How long a connection that seems to exist has been silent; `null` when the silence need not be shown. */
  get silenceMs(): ReadonlySignal<number | null> {
    return this.#silenceMs;
  }

  get current(): ReadonlySignal<ConnectionState> {
    return this.#current;
  }

  found(part: ConnectionPart): void {
    this.#lost.delete(part);
    const isFirst = this.#current.peek().state === 'connecting';
    if (this.#lost.size === 0 && (part === 'events' || !isFirst)) this.#current.value = { state: 'live' };
  }

  /** Called when something has arrived, even if only a heartbeat. */
  heard(part: ConnectionPart, atMs: number): void {
    const hearing = this.#hearings.get(part);
    if (hearing === undefined) this.#hearings.set(part, new Hearing(atMs));
    else hearing.heard(atMs);
  }

  /** Called when nothing is expected on the connection any more. */
  left(part: ConnectionPart): void {
    this.#hearings.delete(part);
  }

  /** Called once a second. A silence is shown while something moves; otherwise the page becomes not live a moment later. */
  look(nowMs: number, isMoving: boolean): void {
    const silences = [...this.#hearings.values()].flatMap((hearing) => hearing.silenceAt(nowMs) ?? []);
    this.#silenceMs.value = isMoving && silences.length > 0 ? Math.max(...silences) : null;
  }

  /**
   * Called when a connection is lost. The first loss counts, because not everything was current since then. The shown state is that of the
   * last time at which something arrived, not of the time at which the loss was noticed.
   */
  lost(part: ConnectionPart, nowMs: number): void {
    this.#lost.add(part);
    const sinceMs = this.#hearings.get(part)?.heardAtMs ?? nowMs;
    this.#hearings.delete(part);
    if (this.#current.peek().state !== 'lost' && this.isRead.peek())
      this.#current.value = { state: 'lost', sinceMs, isKept: false };
  }

  /** Called when there is no connection and a kept state is shown. */
  keptSince(sinceMs: number): void {
    this.isRead.value = true;
    this.#current.value = { state: 'lost', sinceMs, isKept: true };
  }
}

/** Resolves when the signal has the value, or when the wait is stopped. */
function until(condition: ReadonlySignal<boolean>, wanted: boolean, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let end: (() => void) | undefined;
    const finish = (): void => {
      resolve();
      queueMicrotask(() => end?.());
    };
    stopped.addEventListener('abort', finish, { once: true });
    end = effect(() => {
      if (condition.value === wanted || stopped.aborted) finish();
    });
  });
}

const RETRY_MS = 2_000;
/** This is long enough for a stop to be sent and answered. */
const ROOM_MS = 3_000;

interface Options {
  readonly signal: AbortSignal;
  readonly reconnectMs: number;
  readonly isShown: ReadonlySignal<boolean>;
}

/** Keeps the newest values current while the page is visible; values that nobody sees are not sent. */
async function followReadings(
  { readings }: Pick<LiveStreams, 'readings'>,
  site: Site,
  connection: Connection,
  { signal, reconnectMs, isShown }: Options,
): Promise<void> {
  while (!signal.aborted) {
    await until(isShown, true, signal);
    const hidden = new AbortController();
    void until(isShown, false, signal).then(() => {
      hidden.abort();
      connection.left('readings');
    });
    await followShown(readings, site, connection, { signal: hidden.signal, reconnectMs });
  }
}

async function followShown(
  readings: LiveStreams['readings'],
  site: Site,
  connection: Connection,
  { signal, reconnectMs }: Pick<Options, 'signal' | 'reconnectMs'>,
): Promise<void> {
  const onConnection = ({ isConnected }: { readonly isConnected: boolean }): void => {
    if (signal.aborted) return;
    if (isConnected) {
      connection.heard('readings', site.clock.serviceMs(Date.now()));
      connection.found('readings');
    } else connection.lost('readings', site.clock.nowMs.peek());
  };
  const onHeard = (atMs: number): void => {
    if (!signal.aborted) connection.heard('readings', site.clock.serviceMs(atMs));
  };
  const options = { signal, onConnection, onHeard, reconnectMs, silenceMs: SILENCE_MS_MAX };
  try {
    for await (const { at, devices } of readings.stream(options)) {
      // All devices of a message are drawn at once.
      batch(() => {
        site.clock.observe(at);
        for (const device of devices) site.devices.update(device);
      });
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    connection.lost('readings', site.clock.nowMs.peek());
    await new Promise((resolve) => setTimeout(resolve, reconnectMs));
  }
}

interface LiveOptions {
  readonly retryMs?: number;
  /** Whether the person can see the page. */
  readonly isShown?: ReadonlySignal<boolean>;
  /** Opens the streams that all windows of the browser share; without them the page follows its own, only while it is visible. */
  readonly openSharedStreams?: () => Promise<LiveStreams | null>;
  /** The read of the site, if it was begun before. */
  readonly firstRead?: Promise<SiteRecords> | undefined;
}

/** Keeps the records of the site current: they are read once and then changed by the event stream and the stream of newest values. */
export class Live {
  readonly site: Site = emptySite();
  readonly connection = new Connection();
  readonly movements: Movements;
  readonly #client: Client;
  readonly #sessionEnded: () => void;
  readonly #retryMs: number;
  readonly #isShown: ReadonlySignal<boolean>;
  readonly #openSharedStreams: () => Promise<LiveStreams | null>;
  readonly #stopped = new AbortController();
  /** False while a stop needs the connections of the streams. */
  readonly #mayStream = signalOf(true);
  readonly #hasOwnStreams = signalOf(false);
  readonly #mayFollowEvents: ReadonlySignal<boolean>;
  readonly #listeners = new Set<(event: LoggedEvent) => void>();
  readonly #refresher: Refresher;
  #streams: LiveStreams;
  readonly #firstRead: Promise<SiteRecords> | undefined;
  /** The records that were read while the streams were not connected yet; `null` if that failed or they were used. */
  #first: SiteRecords | null = null;
  /** Events that arrive before everything was read; they are applied afterwards. */
  #waiting: LoggedEvent[] | null = [];
  /** The number of the newest reading. Only that one is used: an older one may be older than an event that was applied meanwhile. */
  #reading = 0;
  #followsReadings = false;

  constructor(client: Client, sessionEnded: () => void, options: LiveOptions = {}) {
    this.#client = client;
    this.#sessionEnded = sessionEnded;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#isShown = options.isShown ?? signalOf(true);
    this.#streams = client;
    this.#openSharedStreams = options.openSharedStreams ?? (async () => null);
    this.#firstRead = options.firstRead;
    this.#mayFollowEvents = computed(
      () => this.#mayStream.value && (this.#isShown.value || !this.#hasOwnStreams.value),
    );
    this.movements = new Movements(this.site, client, this.#stopped.signal);
    this.#refresher = new Refresher(client, this.site, this.#stopped.signal, this.#isShown);
  }

  start(): void {
    this.#refresher.start();
    this.movements.start();
    this.site.clock.start();
    const { clock, operations, missions, commands } = this.site;
    const end = effect(() => {
      const nowMs = clock.nowMs.value;
      const isMoving = [operations, missions, commands].some(({ all }) => all.peek().size > 0);
      this.connection.look(nowMs, isMoving);
    });
    this.#stopped.signal.addEventListener('abort', end);
    void this.#follow();
  }

  /** Called in place of `start` while the service cannot be reached. Times are those of this machine, because no other one is known. */
  showKept({ records, atMs }: { readonly records: SiteRecords; readonly atMs: number }): void {
    replaceSite(this.site, { ...records, at: new Date().toISOString() });
    this.movements.start();
    this.site.clock.start();
    this.connection.keptSince(atMs);
  }

  stop(): void {
    this.#stopped.abort();
    this.site.clock.stop();
  }

  /** Tells every event to views that show more than the site holds, such as the history of alerts. Returns the function that ends this. */
  onEvent(listener: (event: LoggedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Ends the streams of this page for a moment. A browser opens at most six connections to a service. Where windows cannot share streams,
   * all of them may be streams, and a stop would wait for ever.
   */
  makeRoom(): void {
    if (!this.#hasOwnStreams.peek() || !this.#mayStream.peek()) return;
    this.#mayStream.value = false;
    setTimeout(() => {
      this.#mayStream.value = true;
    }, ROOM_MS);
  }

  /** The site is read and shown first, because the worker of the streams needs as long to start as a view needs to be drawn. */
  async #follow(): Promise<void> {
    const { signal } = this.#stopped;
    this.#first = await this.#readFirst();
    const shared = await this.#openSharedStreams();
    this.#hasOwnStreams.value = shared === null;
    this.#streams = shared ?? this.#client;
    while (!signal.aborted) {
      await until(this.#mayFollowEvents, true, signal);
      const interrupted = new AbortController();
      void until(this.#mayFollowEvents, false, signal).then(() => interrupted.abort());
      await this.#followStream(interrupted.signal);
      if (!signal.aborted) this.#lose();
    }
  }

  async #followStream(signal: AbortSignal): Promise<void> {
    const onConnection = ({ isConnected }: { readonly isConnected: boolean }): void => {
      if (signal.aborted) return;
      if (isConnected) {
        this.connection.heard('events', this.site.clock.serviceMs(Date.now()));
        void this.#readAll();
      } else this.#lose();
    };
    const onHeard = (atMs: number): void => {
      if (!signal.aborted) this.connection.heard('events', this.site.clock.serviceMs(atMs));
    };
    try {
      const stream = this.#streams.events.stream({
        signal,
        onConnection,
        onHeard,
        reconnectMs: this.#retryMs,
        silenceMs: SILENCE_MS_MAX,
      });
      for await (const item of stream) {
        if (item.kind === 'reset') void this.#readAll();
        else this.#take(item.event);
      }
    } catch (error) {
      if (!isRefused(error)) throw error;
      this.stop();
      this.#sessionEnded();
    }
  }

  /** A reading that is under way is dropped, because the events after it are missing. */
  #lose(): void {
    this.#reading++;
    this.connection.lost('events', this.site.clock.nowMs.peek());
  }

  #take(event: LoggedEvent): void {
    if (this.#waiting !== null) {
      this.#waiting.push(event);
      return;
    }
    applyEvent(event, this.site, this.#refresher);
    for (const listener of this.#listeners) listener(event);
  }

  async #readFirst(): Promise<SiteRecords | null> {
    try {
      const { signal } = this.#stopped;
      const records = await (this.#firstRead ?? readSite(this.#client, { signal }));
      if (signal.aborted) return null;
      replaceSite(this.site, records);
      this.connection.isRead.value = true;
      return records;
    } catch {
      return null;
    }
  }

  /** Whether nothing has happened between the read and the moment from which events are followed. */
  async #isStillTrue({ lastEventId }: SiteRecords): Promise<boolean> {
    const { last_event_id } = await this.#client.fleet.overview({ signal: this.#stopped.signal });
    return last_event_id === lastEventId;
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#stopped;
    const mine = ++this.#reading;
    const isOver = (): boolean => signal.aborted || mine !== this.#reading;
    this.#waiting ??= [];
    while (!isOver()) {
      try {
        const first = this.#first;
        this.#first = null;
        const isShown = first !== null && (await this.#isStillTrue(first));
        const records = isShown ? null : await readSite(this.#client, { signal });
        if (!isOver()) this.#use(records);
        return;
      } catch (error) {
        if (isOver() || isRefused(error)) return;
        this.connection.lost('events', this.site.clock.nowMs.peek());
        await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
      }
    }
  }

  /** Shows the records; `null` means that the shown ones are still current. */
  #use(records: SiteRecords | null): void {
    if (records !== null) replaceSite(this.site, records);
    this.connection.isRead.value = true;
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const event of waiting) this.#take(event);
    this.connection.found('events');
    if (this.#followsReadings) return;
    this.#followsReadings = true;
    const options = {
      signal: this.#stopped.signal,
      reconnectMs: this.#retryMs,
      isShown: computed(() => this.#isShown.value && this.#mayStream.value),
    };
    void followReadings(this.#streams, this.site, this.connection, options);
  }
}

/** The key is revoked, or may not read any more. */
const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.status === 403);
