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
import type { Calls, StopDevices } from './stop-client.ts';

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

/** The calls of a stop client, one at a time. */
export interface StopClientProcess extends Calls {
  end(): Promise<void>;
}

/** Devices and the client that stops them, in a process of their own. */
export function startStopClient(devices: StopDevices): StopClientProcess {
  const child = fork(here('./stop-client.ts'));
  child.send(devices);
  const call = async <Name extends keyof Calls>(
    name: Name,
    ...args: Parameters<Calls[Name]>
  ): Promise<Awaited<ReturnType<Calls[Name]>>> => {
    const replied = once(child, 'message');
    child.send({ name, args });
    const [{ result, failed }] = (await replied) as [Reply<Awaited<ReturnType<Calls[Name]>>>];
    if (failed !== undefined) throw new Error(failed);
    return result as Awaited<ReturnType<Calls[Name]>>;
  };
  return {
    connect: (service) => call('connect', service),
    start: () => call('start'),
    startAtOnce: () => call('startAtOnce'),
    stop: (apartMs) => call('stop', apartMs),
    leave: () => call('leave'),
    end: () => endOf(child),
  };
}

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
