import type { Socket } from 'node:net';
import { IN_FLIGHT_BYTES_MAX, PACKETS_PER_TURN_MAX, UNREAD_BYTES_MAX, UNREAD_MS_MAX } from '../limits.ts';
import { type Frame, FrameReader } from '../mqtt/frame-reader.ts';
import { ProtocolFault } from '../mqtt/protocol-fault.ts';
import type { Ending } from '../port.ts';

/** How long a refused peer may take to read why. */
const FAREWELL_MS = 1_000;
const KEEP_ALIVE_FACTOR = 1.5;

export interface ConnectionEnd {
  readonly ending: Ending;
  readonly detail: string;
}

export interface ConnectionEvents {
  /** The first packet. */
  connect(connection: Connection, frame: Frame): void;
  /** Whatever handling a packet threw: the connection is to be closed. */
  failed(connection: Connection, error: unknown): void;
  closed(connection: Connection): void;
}

/** One socket: cuts what arrives into packets, pauses reading while too much waits for the disk, bounds what waits to be read. */
export class Connection {
  readonly remoteAddress: string;
  /** The claimed device id, for the log. */
  claimedId: string | null = null;
  readonly #openedAtMs: number;
  #keepAliveMs = 0;
  #receive: (frame: Frame) => void;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #reader = new FrameReader();
  #heardAtMs: number;
  #inFlightBytes = 0;
  #isHeld = false;
  #isConnectRead = false;
  #isPaused = false;
  #hasTakenTurn = false;
  #slowedUntilMs = 0;
  #slowedTimer: NodeJS.Timeout | undefined;
  #end: ConnectionEnd | null = null;

  constructor(socket: Socket, events: ConnectionEvents, nowMs: number) {
    this.#socket = socket;
    this.#events = events;
    this.#openedAtMs = nowMs;
    this.#receive = (frame) => events.connect(this, frame);
    this.#heardAtMs = nowMs;
    this.remoteAddress = socket.remoteAddress ?? 'unknown';
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    // A peer that does not read its answers is not read either, so they cannot pile up.
    socket.on('drain', () => this.#readPackets());
    socket.on('error', ({ message }) => this.#noteEnd({ ending: 'lost', detail: message }));
    socket.once('close', () => {
      clearTimeout(this.#slowedTimer);
      this.#noteEnd({ ending: 'lost', detail: 'connection was closed without DISCONNECT' });
      events.closed(this);
    });
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** 0 once the CONNECT is there. */
  awaitedConnectMs(nowMs: number): number {
    return this.#isConnectRead ? 0 : nowMs - this.#openedAtMs;
  }

  /** Known once the connection has ended. */
  get endedBy(): ConnectionEnd {
    return this.#end ?? { ending: 'lost', detail: '' };
  }

  /** Time in which its messages wait for the disk is no silence of the device; time in which it does not read is. */
  isSilent(nowMs: number): boolean {
    const isUnread = this.#socket.writableNeedDrain;
    if (this.#isPaused && !isUnread) return false;
    const withoutKeepAliveMs = isUnread ? UNREAD_MS_MAX : Number.POSITIVE_INFINITY;
    const allowedMs = this.#keepAliveMs === 0 ? withoutKeepAliveMs : this.#keepAliveMs * KEEP_ALIVE_FACTOR;
    return nowMs - this.#heardAtMs > allowedMs;
  }

  forgiveSilence(nowMs: number): void {
    this.#heardAtMs = nowMs;
  }

  /** Reads no further packet until `proceed`. */
  hold(): void {
    this.#isHeld = true;
    this.#isConnectRead = true;
  }

  /** Hands the packets from here on to `receive`. */
  proceed(receive: (frame: Frame) => void, keepAliveMs: number): void {
    this.#receive = receive;
    this.#keepAliveMs = keepAliveMs;
    this.#isHeld = false;
    this.#readPackets();
  }

  messageEntered(bytes: number): void {
    this.#inFlightBytes += bytes;
  }

  messageLeft(bytes: number): void {
    this.#inFlightBytes -= bytes;
    if (this.#isPaused) this.#readPackets();
  }

  /** Reads nothing for this long, so that what the peer sends costs the others nothing. */
  slowDown(ms: number): void {
    const untilMs = performance.now() + ms;
    if (this.#end !== null || untilMs <= this.#slowedUntilMs) return;
    this.#slowedUntilMs = untilMs;
    clearTimeout(this.#slowedTimer);
    this.#slowedTimer = setTimeout(() => {
      this.#slowedUntilMs = 0;
      this.#readPackets();
    }, ms);
    this.#regulate();
  }

  /** A peer that does not read what it is sent is cut off before it fills the memory. */
  write(bytes: Buffer, left?: () => void): void {
    if (this.#end !== null) return;
    if (this.#socket.writableLength + bytes.length > UNREAD_BYTES_MAX) {
      this.#events.failed(this, new ProtocolFault('device does not read what it is sent'));
    } else {
      this.#socket.write(bytes, left);
    }
  }

  /** The first cause counts; what follows are consequences. */
  end(ending: Ending, detail: string): void {
    if (this.#noteEnd({ ending, detail })) this.#socket.destroy();
  }

  /** Reads on without looking, because closing with unread bytes would take back the answer. */
  endWithAnswer(answer: Buffer, detail: string): void {
    if (!this.#noteEnd({ ending: 'closed', detail })) return;
    this.#socket.end(answer);
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), FAREWELL_MS).unref();
  }

  #noteEnd(end: ConnectionEnd): boolean {
    if (this.#end !== null) return false;
    this.#end = end;
    return true;
  }

  #received(chunk: Buffer): void {
    if (this.#end !== null) return;
    this.#heardAtMs = performance.now();
    this.#reader.push(chunk);
    this.#readPackets();
  }

  get #mayRead(): boolean {
    return (
      this.#end === null &&
      !this.#isHeld &&
      !this.#hasTakenTurn &&
      this.#slowedUntilMs === 0 &&
      this.#inFlightBytes < IN_FLIGHT_BYTES_MAX &&
      !this.#socket.writableNeedDrain
    );
  }

  #readPackets(): void {
    try {
      for (let packets = 0; this.#mayRead; packets++) {
        if (packets === PACKETS_PER_TURN_MAX) {
          this.#yieldTurn();
          return;
        }
        const frame = this.#reader.next();
        if (frame === null) break;
        this.#receive(frame);
      }
    } catch (error) {
      this.#events.failed(this, error);
    }
    this.#regulate();
  }

  /** The other connections are read before this one goes on. */
  #yieldTurn(): void {
    this.#hasTakenTurn = true;
    this.#regulate();
    setImmediate(() => {
      this.#hasTakenTurn = false;
      this.#readPackets();
    });
  }

  /** Bytes that are not taken stay in the kernel, and TCP slows the sender down. */
  #regulate(): void {
    if (this.#end !== null || this.#isPaused !== this.#mayRead) return;
    this.#isPaused = !this.#isPaused;
    if (this.#isPaused) {
      this.#socket.pause();
    } else {
      this.#heardAtMs = performance.now();
      this.#socket.resume();
    }
  }
}
