import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import {
  type HttpLoad,
  type HttpResult,
  type HttpWriteLoad,
  type HttpWriteResult,
  type RequestLoad,
  type RequestLoadResult,
  runHttpLoad,
  runHttpWriteLoad,
  runRequestLoad,
} from './http-load.ts';
import {
  type MqttLoad,
  type MqttResult,
  type PacedLoad,
  type PacedResult,
  runMqttLoad,
  runPacedLoad,
} from './mqtt-load.ts';
import {
  type NonsenseResult,
  type ReportLoad,
  type ReportResult,
  runNonsenseLoad,
  runReportLoad,
} from './nonsense-load.ts';

type Job =
  | { readonly kind: 'http'; readonly load: HttpLoad }
  | { readonly kind: 'http-write'; readonly load: HttpWriteLoad }
  | { readonly kind: 'requests'; readonly load: RequestLoad }
  | { readonly kind: 'mqtt'; readonly load: MqttLoad }
  | { readonly kind: 'paced'; readonly load: PacedLoad }
  | { readonly kind: 'reports'; readonly load: ReportLoad }
  | { readonly kind: 'nonsense'; readonly load: ReportLoad };

/** The answer of the process of the generator. */
interface Reply<T> {
  readonly result?: T;
  readonly failed?: string;
  readonly begun?: true;
}

export const generateHttp = (load: HttpLoad): Promise<HttpResult> => generate({ kind: 'http', load });
export const generateHttpWrites = (load: HttpWriteLoad): Promise<HttpWriteResult> =>
  generate({ kind: 'http-write', load });
export const generateMqtt = (load: MqttLoad, signal?: AbortSignal): Promise<MqttResult> =>
  generate({ kind: 'mqtt', load }, signal);
export const generatePaced = (load: PacedLoad): Promise<PacedResult> => generate({ kind: 'paced', load });
export const generateReports = (load: ReportLoad): Promise<ReportResult> =>
  generate({ kind: 'reports', load });
export const generateNonsense = (load: ReportLoad, signal: AbortSignal): Promise<NonsenseResult> =>
  generate({ kind: 'nonsense', load }, signal);
export const generateRequests = (
  load: RequestLoad,
  signal: AbortSignal,
  begun: () => void,
): Promise<RequestLoadResult> => generate({ kind: 'requests', load }, signal, begun);

/**
 * Generates load in a process of its own, so that it does not share a thread with the measurement. An abort ends the load
 * early, and the figures until then count.
 */
async function generate<T>(job: Job, signal?: AbortSignal, begun?: () => void): Promise<T> {
  const child = fork(import.meta.filename);
  signal?.addEventListener('abort', () => child.send({ kind: 'end' }));
  try {
    child.send(job);
    for await (const [reply] of on(child, 'message') as AsyncIterable<[Reply<T>]>) {
      if (reply.begun) begun?.();
      else if (reply.result === undefined) throw new Error(reply.failed);
      else return reply.result;
    }
    throw new Error('the generator ended without a result');
  } finally {
    await endProcess(child);
  }
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

if (import.meta.main) {
  const early = new AbortController();
  process.on('message', (job: Job | { readonly kind: 'end' }) => {
    if (job.kind === 'end') return early.abort();
    run(job, early.signal).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    );
  });
  // The parent process has ended.
  process.once('disconnect', () => process.exit());
}

function run(job: Job, early: AbortSignal): Promise<unknown> {
  switch (job.kind) {
    case 'http':
      return runHttpLoad(job.load);
    case 'http-write':
      return runHttpWriteLoad(job.load);
    case 'mqtt':
      return runMqttLoad(job.load, early);
    case 'paced':
      return runPacedLoad(job.load);
    case 'reports':
      return runReportLoad(job.load);
    case 'nonsense':
      return runNonsenseLoad(job.load, early);
    case 'requests':
      return runRequestLoad(job.load, early, () => process.send?.({ begun: true }));
  }
}
