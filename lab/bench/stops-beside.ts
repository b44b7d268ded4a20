import { join } from 'node:path';
import type { StoreLocation } from '@granary/app/app';
import { MINUTE_MS } from '@granary/contract/time';
import { registerRovers, registerSilos } from './farm.ts';
import { generateRequests } from './generator.ts';
import type { LoadRequest } from './http-load.ts';
import { type Finding, percentile, whole } from './report.ts';
import type { ServiceProcess, Storage } from './service-process.ts';
import { type Answers, StopClientProcess, type StopDevices, type StopTimes } from './stop-client.ts';
import type { StopOutcome } from './stoppable-device.ts';
import { TURNS_FILE, type TurnFigures, turnsSinceLast } from './turn-watch.ts';

const APART_MS = 50;
const STOP_P99_MS_MAX = 250;

/** Requests that are sent in turn over all connections while stops are measured; empty for the figure without a load. */
export interface Load {
  readonly name: string;
  readonly connections: number;
  readonly requests: readonly LoadRequest[];
}

/** The result of the stops of one measurement. */
export interface Outcome {
  readonly times: StopTimes;
  /** The answers to the load. */
  readonly answers: Answers;
  /** The turns of the main thread; not measured in processes that start or end. */
  readonly turns?: TurnFigures;
}

/** The settings of a service that writes the turns of its main thread into a file. */
export function watchedService(dataDir: string, { databaseUrl }: Storage) {
  const turnsFile = join(dataDir, 'turns.json');
  const env = {
    GRANARY_DATA_DIR: dataDir,
    GRANARY_DATABASE_URL: databaseUrl,
    GRANARY_RATE_LIMIT: 'off',
    NODE_OPTIONS: `--import ${new URL('./turn-watch.ts', import.meta.url).href}`,
    [TURNS_FILE]: turnsFile,
  };
  return { env, turnsFile };
}

export const locationOf = (folder: string, { databaseUrl }: Storage): StoreLocation =>
  databaseUrl === '' ? { engine: 'sqlite', folder } : { engine: 'postgres', url: databaseUrl };

export async function registerDevices(
  service: ServiceProcess,
  prefix: string,
  stops: number,
): Promise<StopDevices> {
  const rovers = await registerRovers(service, stops, prefix);
  return { rovers, silos: await registerSilos(service, stops, { prefix }) };
}

/** Measures stops, of operations and emergency stops, beside a load. */
export async function besideLoad(
  service: ServiceProcess,
  devices: StopDevices,
  load: Load,
  turnsFile: string,
  apartMs = APART_MS,
): Promise<Outcome> {
  const client = new StopClientProcess(devices);
  try {
    await client.connect(service);
    await client.start();
    const { end, ended } = await begin(service, load);
    await turnsSinceLast(service, turnsFile);
    const times = await client.stop(apartMs);
    const turns = await turnsSinceLast(service, turnsFile);
    end();
    await client.leave();
    return { times, answers: await ended, turns };
  } finally {
    await client.end();
  }
}

/** Resolves when the load runs; the load ends by itself if it is not ended before. */
export async function begin(service: ServiceProcess, { connections, requests }: Load) {
  if (requests.length === 0) return { end: () => undefined, ended: Promise.resolve<Answers>({}) };
  const over = new AbortController();
  const begun = Promise.withResolvers<void>();
  const generated = generateRequests(
    { httpUrl: service.httpUrl, connections, requests, durationMs: MINUTE_MS },
    over.signal,
    begun.resolve,
  );
  await Promise.race([begun.promise, generated]);
  return { end: () => over.abort(), ended: generated.then(({ answers }): Answers => ({ ...answers })) };
}

export function findingOf(
  load: string,
  { times: { operation, emergency }, answers, turns }: Outcome,
): Finding {
  const all = [...operation, ...emergency];
  const p99 = percentile(reachedMs(all), 0.99);
  const unsent = all.filter(({ reachedMs }) => reachedMs === null);
  // The caller of a stop that finds the port closed knows at once that the stop is not sent.
  const closed = unsent.filter(({ status }) => status === 'closed').length;
  const lost = unsent.length - closed;
  const others = Object.values(answers).reduce((sum, count) => sum + count, 0);
  const refusedOthers = Object.entries(answers)
    .filter(([status]) => status !== '200')
    .map(([status, count]) => `${whole(count)} with ${status === '0' ? 'a closed connection' : status}`);
  return {
    name: `Stops beside ${load}`,
    target: `p99 at most ${STOP_P99_MS_MAX} ms, none refused or cut off`,
    figure: `${p99.toFixed(0)} ms${lost === 0 ? '' : `, ${lost} refused or cut off`}`,
    met: p99 <= STOP_P99_MS_MAX && lost === 0,
    detail: [
      `from the request to the device, half, p99 and the slowest in ms: ${figuresOf('operation stops', operation)}, ${figuresOf('emergency stops', emergency)}`,
      ...(closed === 0 ? [] : [`${closed} more found the port closed`]),
      ...(others === 0
        ? []
        : [
            `of ${whole(others)} requests of the others ${refusedOthers.length === 0 ? 'none was refused' : `refused ${refusedOthers.join(', ')}`}`,
          ]),
      ...(turns === undefined ? [] : [`the main thread's longest turn ${longestOf(turns)}`]),
    ].join('; '),
  };
}

export const longestOf = ({ longestMs, longestCpuMs }: TurnFigures): string =>
  `${longestMs.toFixed(1)} ms (processor time ${longestCpuMs.toFixed(1)} ms)`;

function figuresOf(name: string, stops: readonly StopOutcome[]): string {
  const times = reachedMs(stops);
  const figures = [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times)];
  return `${times.length} ${name} ${figures.map((ms) => ms.toFixed(0)).join(', ')}`;
}

const reachedMs = (stops: readonly StopOutcome[]): number[] =>
  stops.flatMap(({ reachedMs }) => (reachedMs === null ? [] : [reachedMs]));
