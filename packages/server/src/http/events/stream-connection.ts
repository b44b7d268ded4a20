import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy that buffers answers would delay events.
  'x-accel-buffering': 'no',
};
/** A reader that leaves more bytes unread than this is disconnected. */
const WAITING_BYTES_MAX = 256 * 1024;
const DRAIN_MS_MAX = 30_000;

/** Takes the answer over, to write server-sent events to it without end. */
export function hijackForStream(reply: FastifyReply): ServerResponse {
  reply.headers(HEADERS).hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply.raw;
}

/** The connection of one reader of server-sent events. */
export class StreamConnection {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  /** Writes nothing to a reader that has left too much unread, and disconnects it. */
  say(...texts: readonly (string | Buffer)[]): void {
    if (texts.length === 0 || !this.#hasRoom()) return;
    this.#response.cork();
    for (const text of texts) this.#response.write(text);
    this.#response.uncork();
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
