import type { Page, Success } from '@granary/contract/envelope';
import { UnreachableError } from '../failures.ts';
import type { Call } from './call.ts';
import { parseAnswer, refusalOf, unexpectedAnswer } from './refusal.ts';
import { type RepeatOptions, repeat } from './repeat.ts';

export type Fetch = typeof globalThis.fetch;

export interface TransportOptions extends RepeatOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
}

export interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** Sends a request, repeats it where that is safe, and decodes its envelope; every method of the client uses it. */
export interface Transport {
  exchange<T>(call: Call): Promise<Answer<Success<T>>>;
  data<T>(call: Call): Promise<T>;
  page<T>(call: Call): Promise<Page<T>>;
  /** The text of an answer without an envelope; `accepts` are statuses that are no refusals here. */
  text(call: Call, accepts?: readonly number[]): Promise<string>;
  /** The chunks of a long answer; sent once, because only the caller knows where to resume. */
  stream(call: Call, mediaType: string, signal: AbortSignal | undefined): Promise<AsyncIterable<Uint8Array>>;
}

export function createTransport({ baseUrl, apiKey, fetch, ...repeating }: TransportOptions): Transport {
  // An address that cannot be parsed fails here and not in every repetition of every call.
  const root = new URL(baseUrl).href.replace(/\/+$/, '');

  async function reach(call: Call, accept: string, signal: AbortSignal | undefined): Promise<Response> {
    const { method, body } = call;
    const json = call.json ?? (body === undefined ? undefined : JSON.stringify(body));
    const request: RequestInit = {
      method,
      // A header that cannot be sent is a fault of the caller, which no repetition repairs.
      headers: new Headers({
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        accept,
        ...call.headers,
      }),
      // Without a key the cookie of the browser counts, and it must not reach another host.
      ...(apiKey === undefined ? { credentials: 'same-origin' as const } : {}),
      // A redirected POST would arrive as a GET, and the key could reach another host.
      redirect: 'manual',
      // A browser has few connections to one host, and gives a free one to the most urgent request.
      ...(call.isUrgent ? { priority: 'high' } : {}),
      signal: signal ?? null,
      ...(json === undefined ? {} : { body: json }),
    };
    const url = urlOf(root, call);
    const response = await answered(() => fetch(url, request));
    if (isRedirection(response)) throw unexpectedAnswer(response, redirectionOf(response));
    return response;
  }

  async function answered<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw new UnreachableError(root, { cause });
    }
  }

  function ask(call: Call, accepts: readonly number[] = []) {
    return repeat(
      call,
      async (signal) => {
        const response = await reach(call, 'application/json', signal);
        const text = await answered(() => response.text());
        if (!response.ok && !accepts.includes(response.status)) throw refusalOf(call, response, text);
        return { response, text };
      },
      repeating,
    );
  }

  async function send<Body>(call: Call): Promise<Answer<Body>> {
    const { response, text } = await ask(call);
    return { body: parseAnswer<Body>(response, text), headers: response.headers };
  }

  async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    // Not every browser can iterate over a stream.
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await answered(() => reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  return {
    exchange: <T>(call: Call) => send<Success<T>>(call),
    data: async <T>(call: Call) => (await send<Success<T>>(call)).body.data,
    page: async <T>(call: Call) => (await send<Page<T>>(call)).body,
    text: async (call, accepts) => (await ask(call, accepts)).text,
    stream: async (call, mediaType, signal) => {
      const response = await reach(call, mediaType, signal);
      if (!response.ok) throw refusalOf(call, response, await answered(() => response.text()));
      const type = response.headers.get('content-type');
      if (response.body !== null && type?.startsWith(mediaType) === true) return chunksOf(response.body);
      await response.body?.cancel();
      throw unexpectedAnswer(response, `${type ?? 'nothing'} instead of ${mediaType}`);
    },
  };
}

/** A browser hides the status of a redirection. */
const isRedirection = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400);

const redirectionOf = ({ headers }: Response): string =>
  `a redirection to ${headers.get('location') ?? 'another address'}, which is not followed`;

function urlOf(root: string, { path, query = {} }: Call): URL {
  const url = new URL(root + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
