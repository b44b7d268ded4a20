import { setTimeout as sleep } from 'node:timers/promises';
import { BenchSilo } from './bench-silo.ts';
import { ask, registerSilos, SILOS } from './farm.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import { type ServiceProcess, SQLITE, type Storage, startBenchService } from './service-process.ts';
import { StopClientProcess } from './stop-client.ts';

const ROUNDS = 5;
const ROUND_MS = 3_000;
const CLIENTS = 20;
const DEVICES = 50;
const STARTS_PER_SECOND_MIN = 100;
const STOPS_PER_ROUND = 20;
const STOPS_APART_MS = 100;
const STOP_P99_MS_MAX = 100;

/**
 * Measures how many operations 20 clients start on 50 silos, each of which acknowledges and completes them at once, and how long
 * the stop of another silo takes meanwhile.
 */
export async function measureStarts(dataDir: string, storage: Storage = SQLITE): Promise<Finding[]> {
  const service = await startBenchService(dataDir, storage);
  const startsPerSecond: number[] = [];
  const startMs: number[] = [];
  const stopMs: (number | null)[] = [];
  const devices: BenchSilo[] = [];
  try {
    for (const silo of await registerSilos(service, DEVICES)) {
      devices.push(await BenchSilo.connect(service, silo, { completesAtOnce: true }));
    }
    for (let round = 0; round <= ROUNDS; round++) {
      const silos = await registerSilos(service, STOPS_PER_ROUND, { prefix: `stopped-${round}` });
      const stops = new StopClientProcess({ silos, rovers: [] });
      await stops.connect(service);
      await stops.start();
      await Promise.all(devices.map((device) => device.weigh(10_000)));
      const [started, stopped] = await Promise.all([startsOf(service, devices), stops.stop(STOPS_APART_MS)]);
      await stops.leave();
      await stops.end();
      // The first round warms up.
      if (round === 0) continue;
      startsPerSecond.push(started.length / (ROUND_MS / 1_000));
      startMs.push(...started);
      stopMs.push(...stopped.operation.map(({ reachedMs }) => reachedMs));
    }
  } finally {
    await Promise.all(devices.map((device) => device.leave()));
    await service.stop();
  }
  const perSecond = median(startsPerSecond);
  const reachedMs = stopMs.filter((ms) => ms !== null);
  const lost = stopMs.length - reachedMs.length;
  const stopP99 = percentile(reachedMs, 0.99);
  return [
    {
      name: `Starts${storage.suffix}, ${CLIENTS} clients, ${DEVICES} silos`,
      target: `at least ${STARTS_PER_SECOND_MIN} starts/s`,
      figure: `${whole(perSecond)} starts/s`,
      met: perSecond >= STARTS_PER_SECOND_MIN,
      detail: `answered after half of them ${percentile(startMs, 0.5).toFixed(1)}, p99 ${percentile(startMs, 0.99).toFixed(1)} ms; each silo acknowledges and completes the operation at once; ${ROUNDS} rounds of ${ROUND_MS / 1_000} s`,
    },
    {
      name: `Stop${storage.suffix} beside these starts, from the request to the device's receipt`,
      target: `p99 at most ${STOP_P99_MS_MAX} ms, none refused or cut off`,
      figure: `${stopP99.toFixed(0)} ms${lost === 0 ? '' : `, ${lost} refused or cut off`}`,
      met: stopP99 <= STOP_P99_MS_MAX && lost === 0,
      detail: `${stopMs.length} stops of other silos, half of them under ${median(reachedMs).toFixed(0)}, none over ${Math.max(...reachedMs).toFixed(0)} ms`,
    },
  ];
}

/** The times from the request of each start to its answer. */
async function startsOf(service: ServiceProcess, devices: readonly BenchSilo[]): Promise<number[]> {
  const free = [...devices];
  const latenciesMs: number[] = [];
  const untilMs = performance.now() + ROUND_MS;
  const client = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const device = free.shift();
      if (device === undefined) {
        await sleep(1);
        continue;
      }
      const completed = device.completed();
      const askedMs = performance.now();
      await ask(service, `${SILOS}/${device.deviceId}/operations/feed`, { amount: 100, rate: 10 });
      latenciesMs.push(performance.now() - askedMs);
      void completed.then(() => free.push(device));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  while (free.length < devices.length) await sleep(5);
  return latenciesMs;
}
