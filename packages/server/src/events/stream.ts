import type { ServerResponse } from 'node:http';
import { type Frame, heartbeat } from './frame.ts';

/** A reader that leaves more bytes unread than this is disconnected; it can reconnect and resume. */
export const WAITING_BYTES_MAX = 256 * 1024;
const DRAIN_MS_MAX = 30_000;

/** One reader of the event log and its position. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #selects: (frame: Frame) => boolean;
  #position: number;

  constructor(response: ServerResponse, selects: (frame: Frame) => boolean, position: number) {
    this.#response = response;
    this.#selects = selects;
    this.#position = position;
  }

  /** All events up to this position were sent or do not match. */
  get position(): number {
    return this.#position;
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  /** Frames arrive in the order of their numbers; those that were already sent are skipped. */
  offer(frames: readonly Frame[]): void {
    const newFrames = frames.filter((frame) => frame.sequence > this.#position && this.#selects(frame));
    this.skipTo(frames.at(-1)?.sequence ?? 0);
    if (newFrames.length === 0 || !this.#hasRoom()) return;
    this.#response.cork();
    for (const { bytes } of newFrames) this.#response.write(bytes);
    this.#response.uncork();
  }

  skipTo(sequence: number): void {
    this.#position = Math.max(this.#position, sequence);
  }

  beat(): void {
    this.say(heartbeat(this.#position));
  }

  say(text: string): void {
    if (this.#hasRoom()) this.#response.write(text);
  }

  /** Resolves when the reader has read what was written; a reader that does not read is disconnected. */
  async drained(): Promise<void> {
    if (this.isClosed || !this.#response.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.cutOff(), DRAIN_MS_MAX);
    this.#response.once('drain', resolve);
    this.#response.once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.#response.off('drain', resolve);
    this.#response.off('close', resolve);
  }

  /** Ends the answer normally if the reader has read everything, and closes the connection otherwise. */
  end(): void {
    if (this.#response.writableLength > 0) this.cutOff();
    else this.#response.end();
  }

  cutOff(): void {
    this.#response.destroy();
  }

  #hasRoom(): boolean {
    if (this.isClosed) return false;
    if (this.#response.writableLength <= WAITING_BYTES_MAX) return true;
    this.cutOff();
    return false;
  }
}
