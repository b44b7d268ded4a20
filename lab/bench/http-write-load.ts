import { connect } from 'node:net';

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
  readonly requestsPerSecond: number;
  readonly requests: number;
  readonly readings: number;
}

/** Stands for milliseconds since 1970, which have as many digits until the year 2286. */
export const TIME_PLACE = '0'.repeat(13);

const OK = /^HTTP\/1\.1 20[04] /;
const HEAD_END = '\r\n\r\n';

export async function runHttpWriteLoad(load: HttpWriteLoad): Promise<HttpWriteResult> {
  const startedMs = performance.now();
  const untilMs = startedMs + load.durationMs;
  const counts = await Promise.all(load.requests.map((request) => drive(load, request, untilMs)));
  const elapsedS = (performance.now() - startedMs) / 1_000;
  const requests = counts.reduce((sum, count) => sum + count.requests, 0);
  const readings = counts.reduce((sum, count) => sum + count.readings, 0);
  return { requestsPerSecond: requests / elapsedS, requests, readings };
}

function drive(load: HttpWriteLoad, text: string, untilMs: number) {
  const request = Buffer.from(text);
  const places = placesOf(request);
  return new Promise<{ requests: number; readings: number }>((resolve, reject) => {
    const socket = connect({ host: load.host, port: load.port, noDelay: true });
    let tsMs = load.firstTsMs;
    let requests = 0;
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
      if (!OK.test(received)) return reject(new Error(received));
      received = '';
      requests++;
      if (performance.now() < untilMs) return send();
      resolve({ requests, readings: requests * places.length });
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
