import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  get as getOverHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { get as getOverHttps } from 'node:https';
import { durationMs } from '../../mapping/duration.ts';
import { formFields } from '../../mapping/message-place.ts';
import { lookUpDevice } from '../asked-endpoint.ts';
import type {
  AttachedDevice,
  Credentials,
  DriverModule,
  DriverParts,
  FailureCode,
  Sample,
} from '../driver.ts';
import {
  MESSAGE_BYTES_MAX,
  type Message,
  MessageDevice,
  MessageDevices,
  parseJson,
} from '../message-device.ts';
import { ReadError } from '../read-error.ts';

/** This file has the devices that send documents or forms to the bridge, and those that are asked for a document. */

const BODY_MS_MAX = 10_000;
const CONNECTIONS_MAX = 500;
const ANSWER_BYTES_MAX = 1024 * 1024;
const BACKOFF_MS_MAX = 60_000;

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A port of the bridge, to which devices send; the path, or a field of the message, identifies the device. */
class Listener {
  readonly #host: string;
  readonly #port: number;
  readonly #devices = new Map<string, MessageDevice[]>();
  readonly #parts: DriverParts;
  readonly #server: Server;

  constructor(url: URL, devices: readonly MessageDevice[], parts: DriverParts) {
    this.#host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.#port = Number(url.port);
    this.#parts = parts;
    for (const device of devices) {
      const path = pathOf(new URL(device.attached.endpoint).pathname);
      this.#devices.set(path, [...(this.#devices.get(path) ?? []), device]);
    }
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.requestTimeout = BODY_MS_MAX;
    this.#server.headersTimeout = BODY_MS_MAX;
  }

  async start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(this.#port, this.#host, resolve);
    await promise;
    this.#parts.log('info', 'devices can send to the bridge', { host: this.#host, port: this.#port });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#take(request);
      response.writeHead(200, { 'content-type': 'text/plain' }).end('OK\n');
    } catch (error) {
      const status = error instanceof Refused ? error.status : 500;
      const text = error instanceof Refused ? error.message : 'the bridge failed';
      if (!(error instanceof Refused)) this.#parts.log('error', 'a message failed', { error: String(error) });
      response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
    }
  }

  async #take(request: IncomingMessage): Promise<void> {
    const url = URL.parse(request.url ?? '/', 'http://bridge');
    if (url === null) throw new Refused(400, 'the path cannot be read');
    const devices = this.#devices.get(pathOf(url.pathname));
    if (devices === undefined) throw new Refused(404, 'no device of the site file has this path');
    const isGet = request.method === 'GET';
    if (!isGet && request.method !== 'POST' && request.method !== 'PUT')
      throw new Refused(405, 'send with POST, or with GET and a query');
    const own = this.#authorized(devices, request);
    const text = isGet ? url.search.slice(1) : await bodyOf(request);
    if (text.trim() === '') throw new Refused(400, 'the message is empty');
    const document = isGet ? formFields(text) : documentOf(request.headers['content-type'] ?? '', text);
    const addressed = own.filter((device) => device.isAddressed(document));
    if (addressed.length === 0)
      throw new Refused(404, 'no device of this path has the address that the message names');
    if (typeof document !== 'object' || document === null) {
      for (const device of addressed)
        device.failed('malformed', `neither a form nor JSON: ${text.slice(0, 60)}`);
      throw new Refused(400, 'the message is neither a form nor a JSON document');
    }
    for (const device of addressed)
      device.received({ text, document, topic: null, isRetained: false, roundTripMs: null });
  }

  /**
   * Returns the devices for which the message may be. A login is needed only if the secrets of the bridge have one for an
   * endpoint with this path, because most weather stations cannot send one.
   */
  #authorized(devices: readonly MessageDevice[], { headers }: IncomingMessage): readonly MessageDevice[] {
    const logins = devices.map(({ attached }) => this.#parts.credentials(attached.endpoint));
    if (logins.every((login) => login === null)) return devices;
    const sent = headers.authorization ?? '';
    const own = devices.filter((_device, index) => {
      const login = logins[index] ?? null;
      return login !== null && isSame(sent, basic(login));
    });
    if (own.length === 0) throw new Refused(401, 'user name and password are needed');
    return own;
  }
}

const basic = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function isSame(sent: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const pathOf = (pathname: string): string => pathname.replace(/\/+$/, '') || '/';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isCutOff = false;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MESSAGE_BYTES_MAX) break;
      chunks.push(chunk);
    }
  } catch {
    isCutOff = true;
  }
  if (isCutOff) throw new Refused(400, 'the message ended too early');
  if (bytes > MESSAGE_BYTES_MAX) throw new Refused(413, `a message has ${MESSAGE_BYTES_MAX} bytes at most`);
  return Buffer.concat(chunks).toString();
}

/** Parses a text by its content, because some stations name no content type or a wrong one. */
function documentOf(type: string, text: string): unknown {
  if (/^\s*[[{]/.test(text) || type.includes('json')) return parseJson(text);
  const fields = formFields(text);
  return /^[\w.~%-]+=/.test(text.trim()) ? fields : undefined;
}

/** Asks one device at fixed times, and less often while it does not answer. */
class Poller {
  readonly #device: MessageDevice;
  readonly #parts: DriverParts;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isStopped = false;

  constructor(device: MessageDevice, parts: DriverParts) {
    this.#device = device;
    this.#parts = parts;
    const { every } = device.attached.options;
    const shortestMs = Math.min(...device.attached.mapping.points.map(({ everyMs }) => everyMs));
    this.#everyMs = typeof every === 'string' ? durationMs(every) : shortestMs;
  }

  start(): void {
    void this.#ask();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    const outcome = await fetchMessage(this.#device.attached, this.#device.settings.timeoutMs, this.#parts);
    if (this.#isStopped) return;
    if ('message' in outcome) {
      this.#failures = 0;
      this.#device.received(outcome.message);
    } else {
      this.#failures += 1;
      this.#device.failed(outcome.code, outcome.detail, true);
    }
    const waitMs = Math.min(
      this.#everyMs * 2 ** Math.min(this.#failures, 10),
      Math.max(BACKOFF_MS_MAX, this.#everyMs),
    );
    // The times are on a grid, so that the duration of an answer does not move the next request.
    const nowMs = this.#parts.now();
    const untilMs = nowMs + waitMs - (nowMs % waitMs);
    if (this.#failures > 0) this.#device.triesAgainAt(untilMs);
    this.#timer = setTimeout(() => void this.#ask(), untilMs - nowMs);
  }
}

type Fetched = { readonly message: Message } | { readonly code: FailureCode; readonly detail: string };

async function fetchMessage(
  { endpoint }: AttachedDevice,
  timeoutMs: number,
  parts: DriverParts,
): Promise<Fetched> {
  const login = parts.credentials(endpoint);
  const startedMs = performance.now();
  try {
    const response = await answerOf(endpoint, timeoutMs, login);
    const { statusCode = 0 } = response;
    const isAnswer = statusCode >= 200 && statusCode < 300;
    if (!isAnswer) response.destroy();
    if (statusCode === 401 || statusCode === 403)
      return { code: 'not_authorized', detail: `HTTP ${statusCode}` };
    if (!isAnswer) return { code: 'exception', detail: `HTTP ${statusCode}` };
    const text = await bounded(response);
    if (text === null) return { code: 'malformed', detail: `more than ${ANSWER_BYTES_MAX} bytes` };
    const document = parseJson(text);
    // The text is not shown, because a person who asked for the test may have no right to read that document.
    if (document === undefined)
      return { code: 'malformed', detail: `${text.length} characters that are not JSON` };
    const roundTripMs = performance.now() - startedMs;
    return { message: { text, document, topic: null, isRetained: false, roundTripMs } };
  } catch (error) {
    return failureOf(error);
  }
}

/** Returns the answer; a redirect is an answer, too, and is not followed. */
async function answerOf(
  endpoint: string,
  timeoutMs: number,
  login: Credentials | null,
): Promise<IncomingMessage> {
  const get = endpoint.startsWith('https:') ? getOverHttps : getOverHttp;
  const request = get(endpoint, {
    lookup: lookUpDevice,
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json', ...(login === null ? {} : { authorization: basic(login) }) },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // Later errors of the connection are reported where the answer is read.
  request.on('error', () => undefined);
  return response;
}

async function bounded(response: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function failureOf(error: unknown): { readonly code: FailureCode; readonly detail: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const detail = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof Error && cause.name === 'TimeoutError') return { code: 'timeout', detail };
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ECONNREFUSED') return { code: 'connection_refused', detail };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { code: 'not_resolved', detail };
  return { code: 'connection_lost', detail };
}

const isListening = (endpoint: string): boolean => endpoint.startsWith('listen:');

export const makeDriver: DriverModule['makeDriver'] = (attached, events, parts) => {
  const devices = new MessageDevices(attached, events, parts);
  const listening = devices.all.filter(({ attached: { endpoint } }) => isListening(endpoint));
  const byPort = Map.groupBy(listening, ({ attached: { endpoint } }) => new URL(endpoint).host);
  const listeners = [...byPort.values()].flatMap((ofPort) => {
    const [first] = ofPort;
    return first === undefined ? [] : [new Listener(new URL(first.attached.endpoint), ofPort, parts)];
  });
  const pollers = devices.all
    .filter(({ attached: { endpoint } }) => !isListening(endpoint))
    .map((device) => new Poller(device, parts));
  return {
    start: async () => {
      devices.start();
      for (const listener of listeners) await listener.start();
      for (const poller of pollers) poller.start();
    },
    stop: async () => {
      devices.stop();
      for (const poller of pollers) poller.stop();
      await Promise.all(listeners.map((listener) => listener.stop()));
    },
    health: () => devices.health(),
  };
};

const IGNORED = { sample: () => undefined, failed: () => undefined };

export const readOnce = async (attached: AttachedDevice, parts: DriverParts): Promise<Sample> => {
  if (isListening(attached.endpoint))
    throw new ReadError('no_data', 'the device sends by itself, and cannot be asked');
  const device = new MessageDevice(attached, IGNORED, parts);
  const outcome = await fetchMessage(attached, device.settings.timeoutMs, parts);
  if ('message' in outcome) return device.look(outcome.message);
  throw new ReadError(outcome.code, outcome.detail);
};
