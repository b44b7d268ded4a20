import type { Method } from '@granary/contract/endpoints/declaration/endpoint';
import type { PlantError } from '@granary/contract/endpoints/plants';
import type { Page, Success } from '@granary/contract/envelope';
import type { ErrorBody } from '@granary/contract/errors';
import { ApiError, UnreachableError } from '../failures.ts';
import {
  attemptLimitMs,
  isCertainlyUndone,
  isTemporary,
  paceOf,
  retryAfterMs,
  waitBeforeNextMs,
} from './retry-policy.ts';

export const IDEMPOTENCY_KEY = 'idempotency-key';

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The options that every method takes as its last argument. */
export interface CallOptions {
  /** Cancels the call, even while it waits to be repeated; the method then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** The time after which the call fails, with all its repetitions; 0 sends it once, with the usual limit for one answer. */
  readonly timeLimitMs?: number;
  /** Requests with the same key are carried out once and get the same answer; without a key here, the client creates one for each call. */
  readonly idempotencyKey?: string;
  /** The change is made only if the resource still has this version. */
  readonly ifMatch?: string;
  /** The person or program that asks for the change, for the audit log. */
  readonly actor?: string;
  /** The id of a confirmation of this request by a person. */
  readonly confirmation?: string;
}

/** One request, which may be sent several times. */
export interface Call {
  readonly method: Method;
  readonly path: string;
  /** True for a stop, which is repeated quickly. */
  readonly isUrgent: boolean;
  readonly query?: Query;
  readonly body?: unknown;
  /** A body that is already JSON text. */
  readonly json?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: CallOptions;
}

/** Returns whether a call can be repeated. With a key it is carried out once; reads, replacements, removals and stops need no key. */
const isRepeatable = ({ method, headers, isUrgent }: Call): boolean =>
  method !== 'POST' || isUrgent || IDEMPOTENCY_KEY in headers;

/** Returns 128 random bits as text. `crypto.randomUUID` is missing in browsers for pages without TLS. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Waits for a time; rejects with the reason of the signal as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
}

export type Fetch = typeof globalThis.fetch;

export interface TransportOptions extends RepeatOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
}

interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** Sends a request, repeats it where that is safe, and decodes its envelope; every method of the client uses it. */
export interface Transport {
  exchange<T>(call: Call): Promise<Answer<Success<T>>>;
  data<T>(call: Call): Promise<T>;
  page<T>(call: Call): Promise<Page<T>>;
  /** Returns the text of an answer without an envelope; `accepts` has the statuses that are no refusals here. */
  text(call: Call, accepts?: readonly number[]): Promise<string>;
  /** Returns the chunks of a long answer. The call is sent once, because only the caller knows where to resume. */
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
      // A header that cannot be sent is an error of the caller, which a repetition would not correct.
      headers: new Headers({
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        accept,
        ...call.headers,
      }),
      // Without a key, the cookie of the browser is used, and it must not reach another host.
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

/** Parses an answer. Its shape is not checked, so that fields and values of a newer service reach the caller. */
function parseAnswer<T>(response: Response, text: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpectedAnswer(response, 'something that is not JSON', cause);
  }
}

function unexpectedAnswer(response: Response, what: string, cause?: unknown): ApiError {
  const { status, headers, url } = response;
  const message = `${URL.canParse(url) ? new URL(url).origin : 'the service'} answered ${status} with ${what}; is this a Granary service?`;
  const waitMs = retryAfterMs(headers.get('retry-after'), Date.now());
  return new ApiError({ status, code: 'unexpected_answer', message, retryAfterMs: waitMs }, { cause });
}

const isPlantError = (body: unknown): body is PlantError =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'number';

/** Returns the error for an answer that is not a success. */
function refusalOf(call: Call, response: Response, text: string): ApiError {
  const { status, headers } = response;
  const body = parseAnswer<Partial<ErrorBody> | PlantError | null>(response, text);
  const requestId = headers.get('x-request-id') ?? undefined;
  if (isPlantError(body)) {
    return new ApiError({ status, code: String(body.error), message: body.message, requestId });
  }
  const error = body?.error;
  const code = error?.code ?? 'unexpected_answer';
  const message = error?.message ?? `answered ${status} without saying why`;
  return new ApiError({
    status,
    code,
    messageCode: error?.message_code,
    messageValues: error?.message_values,
    details: error?.details,
    requestId: error?.request_id ?? requestId,
    message: isUnknownEndpoint(code) ? `${message}; ${hintOf(call)}` : message,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), Date.now()),
  });
}

const isUnknownEndpoint = (code: string): boolean =>
  code === 'route_not_found' || code === 'method_not_allowed';

const hintOf = ({ method, path }: Call): string =>
  `the service does not offer ${method} ${path}: it is older than this client, or its addresses are other ones`;

/** One attempt, which must end when its signal is aborted. */
type Attempt<Answer> = (signal: AbortSignal) => Promise<Answer>;

interface RepeatOptions {
  /** The limit of calls that do not have a limit of their own. */
  readonly timeLimitMs: number;
  readonly now: () => number;
  readonly random: () => number;
}

/** Sends a call until it is answered, finally refused, cancelled, or out of time. */
async function repeat<Answer>(
  call: Call,
  attempt: Attempt<Answer>,
  { timeLimitMs: usualLimitMs, now, random }: RepeatOptions,
): Promise<Answer> {
  const { signal, timeLimitMs = usualLimitMs } = call.options;
  const pace = paceOf(call.isUrgent);
  const deadlineMs = now() + timeLimitMs;
  let unanswered: UnreachableError | undefined;
  for (let number = 1; ; number++) {
    signal?.throwIfAborted();
    const limitMs = attemptLimitMs(number, pace);
    const timeout = AbortSignal.timeout(
      timeLimitMs === 0 ? limitMs : Math.max(1, Math.min(limitMs, deadlineMs - now())),
    );
    try {
      return await attempt(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    } catch (failure) {
      signal?.throwIfAborted();
      const waitMs = waitBeforeNextMs(number, failure, pace, random);
      const hasTime = now() + waitMs < deadlineMs;
      if (failure instanceof UnreachableError && !failure.isCertainlyUnsent) unanswered = failure;
      const mayRepeat = isRepeatable(call) || isCertainlyUndone(failure);
      if (!isTemporary(failure, pace) || !mayRepeat || !hasTime)
        throw finalFailure(call, failure, unanswered);
      await pause(waitMs, signal);
    }
  }
}

/** Returns the failure of a call. An attempt without an answer may have been carried out, and the caller has to know that. */
function finalFailure(call: Call, failure: unknown, unanswered: UnreachableError | undefined): unknown {
  if (call.method === 'GET') return failure;
  const idempotencyKey = call.headers[IDEMPOTENCY_KEY];
  if (failure instanceof UnreachableError) return failure.ofChange(unanswered !== undefined, idempotencyKey);
  if (!(failure instanceof ApiError) || unanswered === undefined) return failure;
  const isCertain = idempotencyKey !== undefined && !isTemporary(failure, paceOf(call.isUrgent));
  return isCertain ? failure : failure.afterUnanswered(unanswered);
}
