import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import type { AckLatencyResult } from './ack-latency-load.ts';
import type { BareAnswer } from './bare-http.ts';
import type { Job } from './generator.ts';
import type { HostileResult } from './hostile-device-load.ts';
import type { HttpLoad, HttpResult } from './http-load.ts';
import type { HttpWriteLoad, HttpWriteResult } from './http-write-load.ts';
import type { MqttLoad, MqttResult } from './mqtt-load.ts';
import type { PacedLoad, PacedResult } from './paced-load.ts';
import type { RequestLoad, RequestLoadResult } from './request-load.ts';

interface Reply<T> {
  readonly result?: T;
  readonly failed?: string;
  readonly begun?: true;
}

const here = (file: string): URL => new URL(file, import.meta.url);

async function endOf(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

/** An abort ends the load early; the measurements until then count. */
async function generate<T>(job: Job, signal?: AbortSignal, begun?: () => void): Promise<T> {
  const child = fork(here('./generator.ts'));
  signal?.addEventListener('abort', () => child.send({ kind: 'end' }));
  try {
    child.send(job);
    for await (const [{ result, failed, begun: isBegun }] of on(child, 'message') as AsyncIterable<
      [Reply<T>]
    >) {
      if (isBegun) begun?.();
      else if (result === undefined) throw new Error(failed);
      else return result;
    }
    throw new Error('the generator ended without a result');
  } finally {
    await endOf(child);
  }
}

export const generateHttp = (load: HttpLoad): Promise<HttpResult> => generate({ kind: 'http', load });
export const generateHttpWrites = (load: HttpWriteLoad): Promise<HttpWriteResult> =>
  generate({ kind: 'http-write', load });
export const generateMqtt = (load: MqttLoad, signal?: AbortSignal): Promise<MqttResult> =>
  generate({ kind: 'mqtt', load }, signal);

export const generatePaced = (load: PacedLoad): Promise<PacedResult> => generate({ kind: 'paced', load });

export const generateRequests = (
  load: RequestLoad,
  signal: AbortSignal,
  begun: () => void,
): Promise<RequestLoadResult> => generate({ kind: 'requests', load }, signal, begun);

export const generateAckLatency = (load: MqttLoad): Promise<AckLatencyResult> =>
  generate({ kind: 'ack-latency', load });
export const generateHostile = (load: MqttLoad, signal: AbortSignal): Promise<HostileResult> =>
  generate({ kind: 'hostile', load }, signal);

export interface Reference {
  readonly port: number;
  stop(): Promise<void>;
}

export const startBareBroker = (): Promise<Reference> => reference(fork(here('./bare-broker.ts')));

export function startBareHttp(answer: BareAnswer): Promise<Reference> {
  const child = fork(here('./bare-http.ts'));
  child.send(answer);
  return reference(child);
}

async function reference(child: ChildProcess): Promise<Reference> {
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { port, stop: () => endOf(child) };
}
