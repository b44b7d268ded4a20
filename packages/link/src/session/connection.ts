import type { Duplex } from 'node:stream';
import { sentence } from '@granary/contract/sentences/codes';
import { KEEP_ALIVE_CHECK_MS, PACKETS_PER_TURN_MAX, UNREAD_BYTES_MAX, UNREAD_MS_MAX } from '../limits.ts';
import { type Frame, FrameReader } from '../mqtt/frame-reader.ts';
import { ProtocolFault } from '../mqtt/packet-types.ts';
import type { Ending } from '../port.ts';
import type { SharedReading } from './shared-reading.ts';

/** How long a refused peer may take to read the reason. */
const REFUSAL_READ_MS_MAX = 1_000;
/** How long the peer of a replaced connection may take to close its side. */
const REPLACED_ANSWER_MS_MAX = 2_000;
const KEEP_ALIVE_FACTOR = 1.5;

export interface ConnectionEnd {
  readonly ending: Ending;
  readonly detail: string;
}

export interface ConnectionEvents {
  /** Called with the first packet, which is a CONNECT. */
  connect(connection: Connection, frame: Frame): void;
  /** Handling a packet threw an error, so the connection must be closed. */
  failed(connection: Connection, error: unknown): void;
  closed(connection: Connection): void;
}

/** One socket or WebSocket: splits its input into packets, pauses reading while too much waits to be stored, and limits unread output. */
export class Connection {
  readonly remoteAddress: string;
  /** The client id from the CONNECT, not authenticated, for the log. */
  claimedId: string | null = null;
  readonly #openedAtMs: number;
  #keepAliveMs = 0;
  #receive: (frame: Frame) => void;
  readonly #socket: Duplex;
  readonly #events: ConnectionEvents;
  readonly #shared: SharedReading;
  readonly #reader = new FrameReader();
  #lastReceivedAtMs: number;
  #inFlightBytes = 0;
  #isHeld = false;
  #isConnectRead = false;
  #isPaused = false;
  #isWaitingForTurn = false;
  #readPausedUntilMs = 0;
  #readPauseTimer: NodeJS.Timeout | undefined;
  #end: ConnectionEnd | null = null;

  constructor(socket: Duplex, remoteAddress: string, events: ConnectionEvents, shared: SharedReading) {
    const nowMs = performance.now();
    this.#socket = socket;
    this.#events = events;
    this.#shared = shared;
    this.#openedAtMs = nowMs;
    this.#receive = (frame) => events.connect(this, frame);
    this.#lastReceivedAtMs = nowMs;
    this.remoteAddress = remoteAddress;
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    // A peer that does not read its answers is not read either, so that answers do not accumulate.
    socket.on('drain', () => this.#readPackets());
    socket.on('error', ({ message }) => this.#recordEnd({ ending: 'lost', detail: message }));
    socket.once('close', () => {
      clearTimeout(this.#readPauseTimer);
      this.#recordEnd({ ending: 'lost', detail: 'connection was closed without DISCONNECT' });
      events.closed(this);
    });
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** Returns how long the connection has waited for its CONNECT; 0 once that was received. */
  waitedForConnectMs(nowMs: number): number {
    return this.#isConnectRead ? 0 : nowMs - this.#openedAtMs;
  }

  /** Valid only after the connection has ended. */
  get endedBy(): ConnectionEnd {
    return this.#end ?? { ending: 'lost', detail: '' };
  }

  /**
   * Returns whether the device is silent. Time in which its messages wait to be stored does not count as silence; time in which
   * the device does not read counts.
   */
  isSilent(nowMs: number): boolean {
    const allowedMs = this.#keepAliveMs === 0 ? UNREAD_MS_MAX : this.#keepAliveMs * KEEP_ALIVE_FACTOR;
    // The time is compared first, because reading the state of thousands of sockets takes milliseconds.
    if (nowMs - this.#lastReceivedAtMs <= allowedMs) return false;
    return this.#socket.writableNeedDrain || (!this.#isPaused && this.#keepAliveMs !== 0);
  }

  resetSilence(nowMs: number): void {
    this.#lastReceivedAtMs = nowMs;
  }

  /** Reads no further packet until `resumeReading`. */
  holdReading(): void {
    this.#isHeld = true;
    this.#isConnectRead = true;
  }

  /** Passes further packets to `receive`. */
  resumeReading(receive: (frame: Frame) => void, keepAliveMs: number): void {
    this.#receive = receive;
    this.#keepAliveMs = keepAliveMs;
    this.#isHeld = false;
    this.#readPackets();
  }

  messageAccepted(bytes: number): void {
    this.#inFlightBytes += bytes;
  }

  messageStored(bytes: number): void {
    this.#inFlightBytes -= bytes;
    this.continueReading();
  }

  /** Continues reading in a later turn, when all results of this turn are known, if packets may be read now. */
  continueReading(): void {
    if (this.#isPaused && this.#mayRead) this.#waitForTurn();
  }

  /** Reads nothing for this long, so that this peer does not delay the others. */
  pauseReading(ms: number): void {
    const untilMs = performance.now() + ms;
    if (this.#end !== null || untilMs <= this.#readPausedUntilMs) return;
    this.#readPausedUntilMs = untilMs;
    clearTimeout(this.#readPauseTimer);
    this.#readPauseTimer = setTimeout(() => {
      this.#readPausedUntilMs = 0;
      this.#readPackets();
    }, ms);
    this.#pauseOrResumeSocket();
  }

  /** Calls `acknowledge` now if this turn still has time, otherwise in a later one. */
  acknowledgeInTurn(acknowledge: () => void): void {
    const { acknowledging, serveFirst } = this.#shared;
    if (!acknowledging.mayBegin()) {
      acknowledging.wait(() => {
        serveFirst();
        acknowledge();
      });
      return;
    }
    serveFirst();
    acknowledge();
  }

  /** Output during `work` is sent when `work` has ended, so that the peer cannot know of it before the service does. */
  writeTogether(work: () => void): void {
    this.#socket.cork();
    try {
      work();
    } finally {
      this.#socket.uncork();
    }
  }

  /** A peer that does not read is disconnected before its output fills the memory. */
  write(bytes: Buffer, written?: () => void): void {
    if (this.#end !== null) return;
    if (this.#socket.writableLength + bytes.length > UNREAD_BYTES_MAX) {
      this.#events.failed(this, new ProtocolFault(sentence('does_not_read')));
    } else {
      this.#socket.write(bytes, written);
    }
  }

  /** Only the first cause is recorded; later ones are its consequences. */
  end(ending: Ending, detail: string): void {
    this.#recordEnd({ ending, detail });
    this.#socket.destroy();
  }

  /**
   * Another connection takes the place of this one. `answered` is called if the peer closes its side, too: then it is a client that
   * is alive, and not the rest of a connection that was lost.
   */
  endReplaced(detail: string, answered: () => void): void {
    if (!this.#recordEnd({ ending: 'replaced', detail })) return;
    this.#socket.once('end', answered);
    this.#socket.end();
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), REPLACED_ANSWER_MS_MAX).unref();
  }

  /** Keeps reading and discards the input, because closing a socket with unread bytes resets it before the answer arrives. */
  endWithAnswer(answer: Buffer, detail: string): void {
    if (!this.#recordEnd({ ending: 'closed', detail })) return;
    this.#socket.end(answer);
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), REFUSAL_READ_MS_MAX).unref();
  }

  #recordEnd(end: ConnectionEnd): boolean {
    if (this.#end !== null) return false;
    this.#end = end;
    return true;
  }

  #received(chunk: Buffer): void {
    if (this.#end !== null) return;
    this.#lastReceivedAtMs = performance.now();
    this.#reader.push(chunk);
    this.#readPackets();
  }

  get #mayRead(): boolean {
    return (
      this.#end === null &&
      !this.#isHeld &&
      !this.#isWaitingForTurn &&
      this.#readPausedUntilMs === 0 &&
      this.#inFlightBytes < this.#shared.inFlightBytesMax &&
      !this.#socket.writableNeedDrain
    );
  }

  #readPackets(): void {
    const { turns } = this.#shared;
    if (this.#mayRead && !turns.mayBegin()) this.#waitForTurn();
    else this.#readInTurn();
  }

  #readInTurn(): void {
    const { turns } = this.#shared;
    this.#shared.serveFirst();
    try {
      for (let packets = 0; this.#mayRead; packets++) {
        const frame = this.#reader.next();
        if (frame === null) break;
        this.#receive(frame);
        if (packets >= PACKETS_PER_TURN_MAX || !turns.hasTime()) {
          this.#waitForTurn();
          return;
        }
      }
    } catch (error) {
      this.#events.failed(this, error);
    }
    this.#pauseOrResumeSocket();
  }

  /** Lets the other connections be read before this one continues. */
  #waitForTurn(): void {
    if (this.#isWaitingForTurn || this.#end !== null) return;
    this.#isWaitingForTurn = true;
    this.#pauseOrResumeSocket();
    this.#shared.turns.wait(this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    this.#isWaitingForTurn = false;
    this.#readInTurn();
  };

  /** Unread bytes stay in the kernel, so that TCP slows the sender down. */
  #pauseOrResumeSocket(): void {
    if (this.#end !== null || this.#isPaused !== this.#mayRead) return;
    this.#isPaused = !this.#isPaused;
    if (this.#isPaused) {
      this.#socket.pause();
    } else {
      this.#lastReceivedAtMs = performance.now();
      this.#socket.resume();
    }
  }
}

/**
 * Ends connections that never send their CONNECT and those that are silent for longer than their keep-alive allows. Time
 * in which this process was suspended does not count as silence.
 */
export function startSilenceCheck(open: Iterable<Connection>, connectTimeoutMs: number): NodeJS.Timeout {
  let checkedAtMs = performance.now();
  return setInterval(() => {
    const nowMs = performance.now();
    const wasSuspended = nowMs - checkedAtMs > 2 * KEEP_ALIVE_CHECK_MS;
    checkedAtMs = nowMs;
    for (const connection of open) {
      // The storage may have failed since the connection was paused, and nothing else would then continue it.
      connection.continueReading();
      if (wasSuspended) connection.resetSilence(nowMs);
      else if (connection.isSilent(nowMs))
        connection.end('timed_out', 'nothing was received within the keep-alive');
      else if (connection.waitedForConnectMs(nowMs) > connectTimeoutMs) {
        connection.end('closed', 'no CONNECT was received in time');
      }
    }
  }, KEEP_ALIVE_CHECK_MS);
}
