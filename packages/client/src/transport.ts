import type { Page, Success } from '@granary/contract/envelope';
import type { ErrorBody } from '@granary/contract/errors';
import { ApiError, UnreachableError } from './failures.ts';

const REQUEST_TIMEOUT_MS = 30_000;

export type Fetch = typeof globalThis.fetch;
export type Query = Readonly<Record<string, string | number | undefined>>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** One request, one envelope. Every slice of the client goes through here. */
export interface Transport {
  exchange<T>(call: Call): Promise<Answer<Success<T>>>;
  data<T>(call: Call): Promise<T>;
  page<T>(call: Call): Promise<Page<T>>;
  /** An answer without end, as it comes. */
  stream(call: Call, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export function createTransport({ baseUrl, apiKey, fetch }: TransportOptions): Transport {
  const root = baseUrl.replace(/\/+$/, '');

  function urlOf({ path, query = {} }: Call): URL {
    const url = new URL(root + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  async function send<Body>(call: Call): Promise<Answer<Body>> {
    const { method, body, headers = {} } = call;
    const request: RequestInit = {
      method,
      headers: { accept: 'application/json', authorization: `Bearer ${apiKey}`, ...headers },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    };
    if (body !== undefined) {
      request.body = JSON.stringify(body);
      request.headers = { ...request.headers, 'content-type': 'application/json' };
    }
    const { response, text } = await reach(urlOf(call), request);
    if (!response.ok) throw refusalOf(response, text);
    return { body: parse<Body>(response, text), headers: response.headers };
  }

  async function open(call: Call, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { method, headers = {} } = call;
    const response = await fetch(urlOf(call), {
      method,
      headers: { accept: 'text/event-stream', authorization: `Bearer ${apiKey}`, ...headers },
      signal,
    }).catch((cause: unknown) => {
      throw new UnreachableError(root, { cause: cause as Error });
    });
    if (!response.ok) throw refusalOf(response, await response.text());
    if (response.body === null) throw new UnreachableError(root, { cause: new Error('nothing came') });
    return response.body;
  }

  async function reach(url: URL, request: RequestInit) {
    try {
      const response = await fetch(url, request);
      return { response, text: await response.text() };
    } catch (cause) {
      throw new UnreachableError(root, { cause });
    }
  }

  return {
    exchange: <T>(call: Call) => send<Success<T>>(call),
    data: async <T>(call: Call) => (await send<Success<T>>(call)).body.data,
    page: async <T>(call: Call) => (await send<Page<T>>(call)).body,
    stream: open,
  };
}

/** The service checks what it sends against the same contract, so the shape is taken on trust. */
function parse<T>(response: Response, text: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `answered ${response.status} with something that is not JSON; is this a Granary service?`;
    throw new ApiError({ status: response.status, code: 'unexpected_answer', message }, { cause });
  }
}

function refusalOf(response: Response, text: string): ApiError {
  const { error } = parse<Partial<ErrorBody>>(response, text);
  return new ApiError({
    status: response.status,
    code: error?.code ?? 'unexpected_answer',
    message: error?.message ?? `answered ${response.status} without saying why`,
    details: error?.details,
    requestId: error?.request_id ?? response.headers.get('x-request-id') ?? undefined,
  });
}
