import { assertPublished, assertPublishedEvent } from './published/answer-check.ts';
import type { Api } from './service.ts';

export interface ReadEvent {
  readonly id: number;
  readonly name: string;
  readonly data: ReturnType<typeof JSON.parse>;
}

interface ReadOptions {
  readonly path?: '/v1/events' | '/v1/readings/stream';
  readonly query?: string;
  readonly lastEventId?: number;
}

/** Reads a stream of server-sent events without the code of our client. */
export class EventReader {
  readonly status: number;
  readonly headers: Headers;
  /** The id after which to continue, as a browser stores it. */
  lastEventId: number | undefined;
  readonly #path: string;
  readonly #abort: AbortController;
  readonly #chunks: AsyncIterator<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();
  #text = '';

  private constructor(response: Response, path: string, abort: AbortController) {
    this.#path = path;
    this.status = response.status;
    this.headers = response.headers;
    this.#abort = abort;
    this.#chunks = response.body?.[Symbol.asyncIterator]();
  }

  static async open(api: Api, options: ReadOptions = {}): Promise<EventReader> {
    const { path = '/v1/events', query = '', lastEventId } = options;
    const abort = new AbortController();
    const resume = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
    const response = await fetch(`${api.started.httpUrl}${path}${query}`, {
      headers: { ...api.authorization, ...resume },
      signal: abort.signal,
    });
    const text = response.ok ? null : await response.clone().text();
    assertPublished({
      method: 'GET',
      path,
      status: response.status,
      headers: response.headers,
      text,
    });
    const reader = new EventReader(response, path, abort);
    reader.lastEventId = lastEventId;
    if (response.ok) await reader.block();
    return reader;
  }

  /** The next event; `null` once the service has ended the stream. */
  async next(): Promise<ReadEvent | null> {
    for (;;) {
      const block = await this.block();
      if (block === null) return null;
      const fields = new Map(block.split('\n').map((line) => split(line)));
      const data = fields.get('data');
      if (data === undefined) continue;
      const event = {
        id: Number(fields.get('id')),
        name: fields.get('event') ?? 'message',
        data: JSON.parse(data),
      };
      if (event.name !== 'reset') assertPublishedEvent(this.#path, event.data);
      return event;
    }
  }

  async take(count: number): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === null) break;
      events.push(event);
    }
    return events;
  }

  /** Everything up to the next empty line, comments included. */
  async block(): Promise<string | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const id = /^id: (\d+)$/m.exec(block)?.[1];
        if (id !== undefined) this.lastEventId = Number(id);
        return block;
      }
      const chunk = await this.#chunks?.next().catch(() => ({ done: true, value: undefined }) as const);
      if (chunk === undefined || chunk.done) return null;
      this.#text += this.#decoder.decode(chunk.value, { stream: true });
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

function split(line: string): readonly [string, string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}
