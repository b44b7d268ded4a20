import { setTimeout as sleep } from 'node:timers/promises';
import { BenchDevice } from './device.ts';
import { ask, registerSilos, SILOS } from './farm.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import type { ServiceProcess } from './service-process.ts';
import { SQLITE, type Storage, startBenchService } from './storage.ts';

const ROUNDS = 5;
const ROUND_MS = 3_000;
const CLIENTS = 20;
const DEVICES = 50;
const TARGET = 250;

/** Measures how many operations 20 clients start on 50 silos, each of which acknowledges and completes them at once. */
export async function measureStarts(dataDir: string, storage: Storage = SQLITE): Promise<Finding> {
  const service = await startBenchService(dataDir, storage);
  const silos = await registerSilos(service, DEVICES);
  const devices = await Promise.all(
    silos.map((silo) => BenchDevice.connect(service, silo, { completesAtOnce: true })),
  );
  const perSecond: number[] = [];
  const latenciesMs: number[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      await Promise.all(devices.map((device) => device.weigh(10_000)));
      const found = await startsOf(service, devices);
      // The first round warms up.
      if (round === 0) continue;
      perSecond.push(found.length / (ROUND_MS / 1_000));
      latenciesMs.push(...found);
    }
  } finally {
    await Promise.all(devices.map((device) => device.leave()));
    await service.stop();
  }
  const figure = median(perSecond);
  return {
    name: `Starts${storage.suffix}, ${CLIENTS} clients, ${DEVICES} silos`,
    target: `at least ${TARGET} starts/s`,
    figure: `${whole(figure)} starts/s`,
    met: figure >= TARGET,
    detail: `answered after half of them ${percentile(latenciesMs, 0.5).toFixed(1)}, p99 ${percentile(latenciesMs, 0.99).toFixed(1)} ms; each silo acknowledges and completes the operation at once; ${ROUNDS} rounds of ${ROUND_MS / 1_000} s`,
  };
}

/** The times from the request of each start to its answer. */
async function startsOf(service: ServiceProcess, devices: readonly BenchDevice[]): Promise<number[]> {
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
