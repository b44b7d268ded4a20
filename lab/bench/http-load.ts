import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** A minimal client that still checks its answers: raw sockets with one request in flight on each. */
export interface HttpLoad {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly key: string;
  readonly connections: number;
  readonly durationMs: number;
}

export interface HttpResult {
  readonly perSecond: number;
  readonly p99Ms: number;
}

const OK = Buffer.from('HTTP/1.1 200');
const WRITTEN = /^HTTP\/1\.1 20[04] /;
const HEAD_END = '\r\n\r\n';
/** A placeholder for milliseconds since 1970, which have this many digits until the year 2286. */
export const TIME_PLACE = '0'.repeat(13);
/** After a refusal a caller waits, as `Retry-After` asks; the time is short here, so that the load stays high. */
const AFTER_REFUSAL_MS = 100;

export async function runHttpLoad(load: HttpLoad): Promise<HttpResult> {
  const request = `GET ${load.path} HTTP/1.1\r\nHost: ${load.host}\r\nAuthorization: Bearer ${load.key}\r\n\r\n`;
  const latenciesMs: number[] = [];
  const untilMs = performance.now() + load.durationMs;
  const startedMs = performance.now();
  const clients = Array.from({ length: load.connections }, () => drive(load, request, untilMs, latenciesMs));
  await Promise.all(clients);
  const elapsedS = (performance.now() - startedMs) / 1_000;
  latenciesMs.sort((a, b) => a - b);
  return {
    perSecond: latenciesMs.length / elapsedS,
    p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? Number.NaN,
  };
}

function drive(load: HttpLoad, request: string, untilMs: number, latenciesMs: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: load.host, port: load.port, noDelay: true });
    let expected = 0;
    let received = 0;
    let sentMs = 0;
    const send = (): void => {
      sentMs = performance.now();
      socket.write(request);
    };
    socket.once('connect', send);
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      if (received === 0) {
        if (chunk.compare(OK, 0, OK.length, 0, OK.length) !== 0) return reject(new Error(chunk.toString()));
        expected = responseLength(chunk);
      }
      received += chunk.length;
      if (received < expected) return;
      received = 0;
      const nowMs = performance.now();
      latenciesMs.push(nowMs - sentMs);
      if (nowMs < untilMs) return send();
      socket.destroy();
      resolve();
    });
  });
}

function responseLength(chunk: Buffer): number {
  const headEnd = chunk.indexOf(HEAD_END) + HEAD_END.length;
  const head = chunk.toString('latin1', 0, headEnd).toLowerCase();
  const length = /content-length: (\d+)/.exec(head)?.[1];
  if (length === undefined) throw new Error(`no content-length in ${head}`);
  return headEnd + Number(length);
}

/** Requests that callers repeat as soon as they get the answer. */
export interface RequestLoad {
  readonly httpUrl: string;
  readonly requests: readonly LoadRequest[];
  /** Requests under way at the same time; they take the requests above in turns. */
  readonly connections: number;
  readonly durationMs: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RequestLoadResult {
  /** The number of answers with each status; 0 stands for a connection that ended without an answer. */
  readonly answers: Readonly<Record<number, number>>;
}

/** `begun` is called with the first answer. */
export async function runRequestLoad(
  load: RequestLoad,
  signal: AbortSignal,
  begun: () => void,
): Promise<RequestLoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const answers: Record<number, number> = {};
  let isFirst = true;
  const untilMs = performance.now() + load.durationMs;
  const isOver = (): boolean => signal.aborted || performance.now() > untilMs;
  const caller = async (_: unknown, number: number): Promise<void> => {
    for (let turn = number; !isOver(); turn++) {
      const wanted = load.requests[turn % load.requests.length];
      if (wanted === undefined) return;
      const status = await send(load.httpUrl, wanted, agent, signal);
      if (isFirst) begun();
      isFirst = false;
      // A request that was cut off at the end was neither served nor refused.
      if (signal.aborted) return;
      answers[status] = (answers[status] ?? 0) + 1;
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, AFTER_REFUSAL_MS));
    }
  };
  await Promise.all(Array.from({ length: load.connections }, caller));
  agent.destroy();
  return { answers };
}

function send(httpUrl: string, wanted: LoadRequest, agent: Agent, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const { method, headers, body } = wanted;
    const sent = request(httpUrl + wanted.path, { agent, method, headers }, (response) => {
      const status = response.statusCode ?? 0;
      response.on('error', () => resolve(0)).on('end', () => resolve(status));
      response.resume();
    });
    const end = (): void => void sent.destroy();
    signal.addEventListener('abort', end, { once: true });
    sent.on('error', () => resolve(0));
    sent.on('close', () => signal.removeEventListener('abort', end));
    sent.end(body);
  });
}

/** Every connection repeats its own request with new times, one request in flight on each. */
export interface HttpWriteLoad {
  readonly host: string;
  readonly port: number;
  /** One request per connection; every time in it is written as `TIME_PLACE`. */
  readonly requests: readonly string[];
  /** The time of the first reading of each connection; each later reading is one millisecond newer. */
  readonly firstTsMs: number;
  readonly durationMs: number;
}

export interface HttpWriteResult {
  /** The number of readings per second. */
  readonly perSecond: number;
  readonly readings: number;
}

export async function runHttpWriteLoad(load: HttpWriteLoad): Promise<HttpWriteResult> {
  const startedMs = performance.now();
  const untilMs = startedMs + load.durationMs;
  const counts = await Promise.all(load.requests.map((request) => driveWrites(load, request, untilMs)));
  const readings = counts.reduce((sum, count) => sum + count, 0);
  return { perSecond: readings / ((performance.now() - startedMs) / 1_000), readings };
}

/** The number of readings with a successful answer. */
function driveWrites(load: HttpWriteLoad, text: string, untilMs: number): Promise<number> {
  const request = Buffer.from(text);
  const places = placesOf(request);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: load.host, port: load.port, noDelay: true });
    let tsMs = load.firstTsMs;
    let readings = 0;
    let received = '';
    const send = (): void => {
      for (const place of places) request.write(String(tsMs++), place, 'latin1');
      socket.write(request);
    };
    socket.once('connect', send);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (!isWhole(received)) return;
      if (!WRITTEN.test(received)) return reject(new Error(received));
      received = '';
      readings += places.length;
      if (performance.now() < untilMs) return send();
      resolve(readings);
      socket.destroy();
    });
  });
}

function placesOf(request: Buffer): number[] {
  const places: number[] = [];
  for (let at = request.indexOf(TIME_PLACE); at !== -1; at = request.indexOf(TIME_PLACE, at + 1)) {
    places.push(at);
    at += TIME_PLACE.length - 1;
  }
  return places;
}

/** An answer without content has no length. */
function isWhole(received: string): boolean {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd === -1) return false;
  const length = /content-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1] ?? '0';
  return received.length >= headEnd + HEAD_END.length + Number(length);
}
