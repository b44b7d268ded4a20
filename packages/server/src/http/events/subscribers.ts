import { PeriodicWork } from '@granary/common/periodic-work';
import { Refusal } from '@granary/contract/errors';
import { HEARTBEAT_MS } from '@granary/contract/events';
import { type Access, limitsWith } from '@granary/core/keys';
import type { Keyring } from '../../process/keys/keyring.ts';
import type { Logger } from '../../process/logging/logger.ts';
import type { StreamConnection } from './stream-connection.ts';

const STREAMS_PER_KEY_MAX = 10;
const STREAMS_MAX = 2_000;
/** The heartbeats are divided between this many turns of the event loop, because a stop would wait for all of them. */
const HEARTBEAT_TURNS = 20;
/** The end of a key is detected within a second, on whichever node it was ended. */
const KEY_CHECK_MS = 500;

interface OpenStream extends StreamConnection {
  beat(): void;
}

/** The source from which a stream reads. */
interface StreamSource<Stream> {
  /** Sends a stream the present state or the missing events, and then what is new until it is dropped. */
  follow(stream: Stream): Promise<void>;
  drop(stream: Stream): void;
}

interface SubscriberParts {
  readonly keyring: Keyring;
  readonly logger: Logger;
}

/** The rights that decide what a stream shows; they stay the same when a person signs in at a terminal. */
const rightsOf = (access: Access): string =>
  JSON.stringify([limitsWith(access, 'read'), limitsWith(access, 'admin')]);

/** The open streams of events and of newest values, grouped by their API key. */
export class Subscribers {
  readonly #parts: SubscriberParts;
  /** The rights with which each stream was opened. A stream whose key has other rights now is ended; its reader connects again. */
  readonly #rightsOf = new Map<string, string>();
  readonly #streamsOf = new Map<string, Set<OpenStream>>();
  #count = 0;
  readonly #checks: PeriodicWork;
  #heartbeat: NodeJS.Timeout | undefined;
  /** The streams by the turn in which they get their heartbeat. */
  readonly #turns = Array.from({ length: HEARTBEAT_TURNS }, () => new Set<OpenStream>());
  #turn = 0;

  constructor(parts: SubscriberParts) {
    this.#parts = parts;
    this.#checks = new PeriodicWork({
      doing: 'checking the keys of streams',
      everyMs: KEY_CHECK_MS,
      logger: parts.logger,
      run: () => this.#checkKeys(),
    });
  }

  get count(): number {
    return this.#count;
  }

  start(): void {
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS / HEARTBEAT_TURNS);
    this.#checks.start();
  }

  async stop(): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const stream of this.#all()) stream.end();
    await this.#checks.stop();
  }

  /** Refuses a stream above the limit; otherwise `open` must follow immediately. */
  requireRoom(key: string): void {
    if ((this.#streamsOf.get(key)?.size ?? 0) >= STREAMS_PER_KEY_MAX) {
      throw new Refusal('stream_limit_reached', `this key has ${STREAMS_PER_KEY_MAX} streams open already`);
    }
    if (this.#count >= STREAMS_MAX) {
      throw new Refusal('stream_limit_reached', 'too many streams are open');
    }
  }

  /** From now on the stream gets everything from its source until it closes. */
  open<Stream extends OpenStream>(
    key: string,
    access: Access,
    stream: Stream,
    source: StreamSource<NoInfer<Stream>>,
  ): void {
    const own = this.#streamsOf.get(key) ?? new Set();
    this.#streamsOf.set(key, own.add(stream));
    if (own.size === 1) this.#rightsOf.set(key, rightsOf(access));
    this.#count++;
    const turn = this.#turns[this.#turn];
    turn?.add(stream);
    stream.onClose(() => {
      source.drop(stream);
      turn?.delete(stream);
      own.delete(stream);
      if (own.size === 0) {
        this.#streamsOf.delete(key);
        this.#rightsOf.delete(key);
      }
      this.#count--;
    });
    source.follow(stream).catch((error: unknown) => {
      this.#parts.logger.warn({ err: error }, 'a stream could not be brought up to date');
      stream.cutOff();
    });
  }

  *#all(): Generator<OpenStream> {
    for (const streams of this.#streamsOf.values()) yield* streams;
  }

  #beat(): void {
    this.#turn = (this.#turn + 1) % HEARTBEAT_TURNS;
    for (const stream of this.#turns[this.#turn] ?? []) stream.beat();
  }

  async #checkKeys(): Promise<void> {
    for (const [key, streams] of [...this.#streamsOf]) {
      // While keys cannot be checked, no new events can be read either.
      const isValid = await this.#parts.keyring.identify(key).then(
        (caller) => caller !== null && rightsOf(caller) === this.#rightsOf.get(key),
        () => true,
      );
      if (!isValid) for (const stream of streams) stream.end();
    }
  }
}
