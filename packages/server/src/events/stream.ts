import type { ServerResponse } from 'node:http';
import { type Frame, heartbeat } from './frame.ts';

/** A reader that leaves more than this untouched is let go; it can come back and go on where it was. */
export const WAITING_BYTES_MAX = 256 * 1024;
const DRAIN_MS_MAX = 30_000;

/** One reader of the event log, and how far it has got. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #selects: (frame: Frame) => boolean;
  #position: number;

  constructor(response: ServerResponse, selects: (frame: Frame) => boolean, position: number) {
    this.#response = response;
    this.#selects = selects;
    this.#position = position;
  }

  /** Everything up to here has been sent, or is not for this reader. */
  get position(): number {
    return this.#position;
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  /** Frames come in the order of their numbers; those that were sent before are passed over. */
  offer(frames: readonly Frame[]): void {
    const news = frames.filter((frame) => frame.sequence > this.#position && this.#selects(frame));
    this.skipTo(frames.at(-1)?.sequence ?? 0);
    if (news.length === 0 || !this.#hasRoom()) return;
    this.#response.cork();
    for (const { bytes } of news) this.#response.write(bytes);
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

  /** Resolves once the reader has taken what was written; one that does not is let go. */
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

  /** Ends well if the reader has taken everything, and at once if it would have to be waited for. */
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
