import type { Page, Success } from '@granary/contract/envelope';
import type { ErrorBody } from '@granary/contract/errors';
import type { PlantError } from '@granary/contract/plants';
import { ApiError, UnreachableError } from './failures.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const LIMITED_ATTEMPTS_MAX = 100;

export type Fetch = typeof globalThis.fetch;
export type Query = Readonly<Record<string, string | number | undefined>>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly waitsWhenLimited: boolean;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** A body that is already JSON text. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** Sends one request and decodes its envelope; every method of the client uses it. */
export interface Transport {
  exchange<T>(call: Call): Promise<Answer<Success<T>>>;
  data<T>(call: Call): Promise<T>;
  page<T>(call: Call): Promise<Page<T>>;
  /** The text of an answer without an envelope. */
  text(call: Call): Promise<string>;
  /** The chunks of an endless answer. */
  stream(call: Call, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export function createTransport({ baseUrl, apiKey, fetch, waitsWhenLimited }: TransportOptions): Transport {
  const root = baseUrl.replace(/\/+$/, '');

  function urlOf({ path, query = {} }: Call): URL {
    const url = new URL(root + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  async function send<Body>(call: Call): Promise<Answer<Body>> {
    const { response, text } = await ask(call);
    return { body: parse<Body>(response, text), headers: response.headers };
  }

  /** A limited request has changed nothing, so any request can be sent again. */
  async function ask(call: Call) {
    for (let attempt = 1; ; attempt++) {
      const answer = await askOnce(call);
      if (answer.response.ok) return answer;
      const refusal = refusalOf(answer.response, answer.text);
      const isLimited = refusal.code === 'rate_limited' && attempt < LIMITED_ATTEMPTS_MAX;
      if (!waitsWhenLimited || !isLimited) throw refusal;
      await pause(Number(answer.response.headers.get('retry-after') ?? 1) * 1_000);
    }
  }

  async function askOnce(call: Call) {
    const { method, body, headers = {} } = call;
    const json = call.json ?? (body === undefined ? undefined : JSON.stringify(body));
    const request: RequestInit = {
      method,
      headers: { accept: 'application/json', authorization: `Bearer ${apiKey}`, ...headers },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    };
    if (json !== undefined) {
      request.body = json;
      request.headers = { ...request.headers, 'content-type': 'application/json' };
    }
    return await reach(urlOf(call), request);
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
    text: async (call) => (await ask(call)).text,
    stream: open,
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The shape of the answer is not checked here: the service is trusted to keep to the contract. */
function parse<T>(response: Response, text: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `answered ${response.status} with something that is not JSON; is this a Granary service?`;
    throw new ApiError({ status: response.status, code: 'unexpected_answer', message }, { cause });
  }
}

function refusalOf(response: Response, text: string): ApiError {
  const { status, headers } = response;
  const body = parse<Partial<ErrorBody> | PlantError>(response, text);
  const requestId = headers.get('x-request-id') ?? undefined;
  if (isPlantError(body)) {
    return new ApiError({ status, code: String(body.error), message: body.message, requestId });
  }
  const { error } = body;
  return new ApiError({
    status,
    code: error?.code ?? 'unexpected_answer',
    message: error?.message ?? `answered ${status} without saying why`,
    details: error?.details,
    requestId: error?.request_id ?? requestId,
  });
}

/** The plant store has its own error body, with a number instead of a code. */
const isPlantError = (body: Partial<ErrorBody> | PlantError): body is PlantError =>
  typeof body.error === 'number';
