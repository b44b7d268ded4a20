import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Announcement, AnnouncementReader, Announcements } from '../announcements.ts';

const CHANNEL = 'granary_announcements';
/** The limits of ids and numbers in a message: the server accepts less than 8,000 bytes; an id has at most 64 characters, a number 10. */
const IDS_PER_MESSAGE = 40;
const ACCESS_IDS_PER_MESSAGE = 20;
const NUMBERS_PER_MESSAGE = 320;
const RECONNECT_MS_MIN = 100;
const RECONNECT_MS_MAX = 5_000;
/** The interval of the probes that detect a connection that was lost without notice. */
const PROBE_EVERY_MS = 5_000;
const ANSWER_MS_MAX = 4_000;
/**
 * The interval of announcements with readings. All nodes read each message, so new readings of a busy node are announced
 * together; those of a quiet node are announced at once.
 */
const READINGS_EVERY_MS = 50;

type Message = [
  from: string,
  deviceNos: number[],
  deviceIds: string[],
  hasEvents: boolean,
  accessIds: string[],
];

/**
 * Announcements between nodes over LISTEN and NOTIFY, on a connection of their own. They are sent after the commit and not in it, because
 * the server lets transactions with announcements commit one after another, each with its wait for the disk.
 */
export class PostgresAnnouncements implements Announcements {
  isReceiving = false;
  readonly #connect: () => Client;
  readonly #node = randomUUID();
  /** The beginning of the messages of this node, by which the node recognises and ignores them. */
  readonly #ownStart = JSON.stringify([this.#node]).slice(0, -1);
  readonly #deviceNos = new Set<number>();
  readonly #deviceIds = new Set<string>();
  readonly #accessIds = new Set<string>();
  #hasEvents = false;
  #reader: AnnouncementReader | null = null;
  #client: Client | null = null;
  #isSending = false;
  #reconnectMs = RECONNECT_MS_MIN;
  #timer: NodeJS.Timeout | undefined;
  #sendTimer: NodeJS.Timeout | undefined;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(url: string) {
    this.#connect = () =>
      new Client({
        connectionString: url,
        connectionTimeoutMillis: ANSWER_MS_MAX,
        query_timeout: ANSWER_MS_MAX,
        keepAlive: true,
      });
  }

  start(reader: AnnouncementReader): void {
    this.#reader = reader;
    void this.#open();
  }

  post({ deviceNos, deviceIds, hasEvents, accessIds }: Announcement): void {
    if (!this.isReceiving) return;
    for (const deviceNo of deviceNos) this.#deviceNos.add(deviceNo);
    for (const deviceId of deviceIds) this.#deviceIds.add(deviceId);
    for (const id of accessIds) this.#accessIds.add(id);
    this.#hasEvents ||= hasEvents;
    this.#planSend();
  }

  /** Does not wait for the end of the connection, because a connection that was lost without notice does not confirm its end. */
  close(): void {
    this.#isClosed = true;
    this.isReceiving = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#sendTimer);
    this.#client?.end().catch(() => undefined);
  }

  async #open(): Promise<void> {
    const client = this.#connect();
    this.#client = client;
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    try {
      await client.connect();
      // Nodes receive nothing after a crash of the server, so an announcement need not be on disk.
      await client.query('SET synchronous_commit TO off');
      await client.query(`LISTEN ${CHANNEL}`);
    } catch {
      this.#lose(client);
      return;
    }
    if (this.#isClosed || this.#client !== client) return;
    this.#reconnectMs = RECONNECT_MS_MIN;
    this.isReceiving = true;
    this.#reader?.resumed();
    this.#planProbe(client);
  }

  #planProbe(client: Client): void {
    this.#timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => {
          if (this.#client === client && !this.#isClosed) this.#planProbe(client);
        },
        () => this.#lose(client),
      );
    }, PROBE_EVERY_MS);
    this.#timer.unref();
  }

  /** Is called once or several times for a connection that ends. */
  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.isReceiving = false;
    clearTimeout(this.#timer);
    client.end().catch(() => undefined);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#open(), this.#reconnectMs);
    this.#timer.unref();
    this.#reconnectMs = Math.min(2 * this.#reconnectMs, RECONNECT_MS_MAX);
  }

  /**
   * Sends now or later: announcements that are posted while a statement is under way, or shortly after one with readings, are
   * sent together.
   */
  #planSend(): void {
    if (this.#isSending || !this.#hasWaiting) return;
    const isUrgent = this.#hasEvents || this.#deviceIds.size > 0 || this.#accessIds.size > 0;
    const waitMs = isUrgent ? 0 : this.#sentAtMs + READINGS_EVERY_MS - performance.now();
    if (waitMs <= 0) {
      clearTimeout(this.#sendTimer);
      this.#sendTimer = undefined;
      void this.#send();
    } else this.#sendTimer ??= setTimeout(() => this.#sendGathered(), waitMs).unref();
  }

  #sendGathered(): void {
    this.#sendTimer = undefined;
    if (!this.#isSending && this.#hasWaiting) void this.#send();
  }

  async #send(): Promise<void> {
    const client = this.#client;
    if (client === null) return;
    this.#isSending = true;
    this.#sentAtMs = performance.now();
    await client
      .query({
        name: 'notify',
        text: `SELECT pg_notify('${CHANNEL}', m) FROM unnest($1::text[]) m`,
        values: [this.#takeMessages()],
      })
      .catch(() => this.#lose(client));
    this.#isSending = false;
    this.#planSend();
  }

  get #hasWaiting(): boolean {
    return (
      this.#hasEvents || [this.#deviceNos, this.#deviceIds, this.#accessIds].some(({ size }) => size > 0)
    );
  }

  #takeMessages(): string[] {
    const deviceNos = [...this.#deviceNos];
    const deviceIds = [...this.#deviceIds];
    const accessIds = [...this.#accessIds];
    const messages: string[] = [];
    const count = Math.max(
      deviceNos.length / NUMBERS_PER_MESSAGE,
      deviceIds.length / IDS_PER_MESSAGE,
      accessIds.length / ACCESS_IDS_PER_MESSAGE,
      1,
    );
    for (let i = 0; i < count; i++) {
      const message: Message = [
        this.#node,
        partOf(deviceNos, NUMBERS_PER_MESSAGE, i),
        partOf(deviceIds, IDS_PER_MESSAGE, i),
        this.#hasEvents,
        partOf(accessIds, ACCESS_IDS_PER_MESSAGE, i),
      ];
      messages.push(JSON.stringify(message));
    }
    this.#deviceNos.clear();
    this.#deviceIds.clear();
    this.#accessIds.clear();
    this.#hasEvents = false;
    return messages;
  }

  #receive(payload: string): void {
    if (payload.startsWith(this.#ownStart)) return;
    const announcement = readMessage(payload);
    if (announcement === null) return;
    const [, deviceNos, deviceIds, hasEvents, accessIds] = announcement;
    this.#reader?.received({ deviceNos, deviceIds, hasEvents, accessIds });
  }
}

const partOf = <Item>(items: readonly Item[], perMessage: number, index: number): Item[] =>
  items.slice(index * perMessage, (index + 1) * perMessage);

/** Returns `null` for a message of another program or version. */
function readMessage(payload: string): Message | null {
  try {
    const message = JSON.parse(payload);
    return Array.isArray(message) && [message[1], message[2], message[4]].every(Array.isArray)
      ? (message as Message)
      : null;
  } catch {
    return null;
  }
}
