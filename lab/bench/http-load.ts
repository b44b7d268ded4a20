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
const HEAD_END = '\r\n\r\n';

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
