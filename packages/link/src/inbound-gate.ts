import type { Readable } from 'node:stream';
import { DISCONNECT_FRAME, FrameRefused, FrameScanner } from './frame-scanner.ts';
import { IN_FLIGHT_BYTES_MAX } from './limits.ts';

/**
 * Decides what the broker gets to read from a socket. Before the device is known: its CONNECT and nothing else.
 * Afterwards: whole chunks, each packet's length checked first, and nothing while too much waits for the disk.
 *
 * It stands in for the socket's own `read`, which is the only way the broker takes bytes: a stream in between would
 * copy every message through one more buffer. Bytes not taken stay in the kernel, and TCP slows the sender down. The
 * broker reads again after every message it has finished with, so nobody has to be woken.
 */
export class InboundGate {
  readonly #socket: Pick<Readable, 'read'>;
  readonly #refused: (reason: string) => void;
  readonly #scanner = new FrameScanner();
  #stage: 'connect' | 'waiting' | 'open' = 'connect';
  #kept: Buffer | null = null;
  #inFlightBytes = 0;

  constructor(socket: Pick<Readable, 'read'>, refused: (reason: string) => void) {
    this.#socket = socket;
    this.#refused = refused;
  }

  install(): void {
    const read = this.#socket.read.bind(this.#socket);
    this.#socket.read = (size?: number) => (size === 0 ? read(0) : this.#take(read));
  }

  /** The device is known: whatever it sent behind its CONNECT may now be read. */
  open(): void {
    this.#stage = 'open';
  }

  messageEntered(bytes: number): void {
    this.#inFlightBytes += bytes;
  }

  messageLeft(bytes: number): void {
    this.#inFlightBytes -= bytes;
  }

  get endsWithDisconnect(): boolean {
    return this.#scanner.type === DISCONNECT_FRAME && this.#scanner.betweenFrames;
  }

  #take(read: () => Buffer | null): Buffer | null {
    if (this.#stage === 'waiting' || this.#inFlightBytes >= IN_FLIGHT_BYTES_MAX) return null;
    const chunk = this.#kept ?? read();
    this.#kept = null;
    if (chunk === null) return null;
    try {
      return this.#stage === 'connect' ? this.#connectIn(chunk) : this.#checked(chunk);
    } catch (error) {
      if (!(error instanceof FrameRefused)) throw error;
      this.#refused(error.message);
      return null;
    }
  }

  #connectIn(chunk: Buffer): Buffer {
    const end = this.#scanner.advance(chunk, 0);
    if (!this.#scanner.betweenFrames) return chunk;
    this.#stage = 'waiting';
    if (end < chunk.length) this.#kept = chunk.subarray(end);
    return chunk.subarray(0, end);
  }

  #checked(chunk: Buffer): Buffer {
    for (let at = 0; at < chunk.length; ) at = this.#scanner.advance(chunk, at);
    return chunk;
  }
}
