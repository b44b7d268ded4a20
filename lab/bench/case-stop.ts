import { setTimeout as sleep } from 'node:timers/promises';
import { BenchDevice } from './device.ts';
import { registerSilos } from './farm.ts';
import { generateMqtt } from './processes.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import { timeStops } from './stops.ts';
import { SQLITE, type Storage, startBenchService } from './storage.ts';

const ROUNDS = 5;
const STOPS_PER_ROUND = 40;
const CONNECTIONS = 200;
const ROUND_MS_MAX = 30_000;
const TARGET_MS = 100;

/** Measures the time from a stop request to its arrival at the device, while two hundred devices send as fast as they are acknowledged. */
export async function measureStop(dataDir: string, storage: Storage = SQLITE): Promise<Finding> {
  const targetMs = storage.targets?.stopMs ?? TARGET_MS;
  const service = await startBenchService(dataDir, storage);
  const [own, ...others] = await registerSilos(service, CONNECTIONS + 1);
  if (own === undefined) throw new Error('no silo was registered');
  const device = await BenchDevice.connect(service, own);
  const { hostname: host, port } = new URL(service.mqttUrl);
  const load = {
    host,
    port: Number(port),
    devices: others,
    window: 1,
    intervalMs: 0,
    durationMs: ROUND_MS_MAX,
  };
  const p99Ms: number[] = [];
  let ingestPerSecond = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const abort = new AbortController();
      const ingest = generateMqtt(load, abort.signal);
      // If something else fails first, that error is reported.
      ingest.catch(() => undefined);
      await sleep(500);
      const latenciesMs = await timeStops(service, device, own.username, STOPS_PER_ROUND);
      p99Ms.push(percentile(latenciesMs, 0.99));
      abort.abort();
      ingestPerSecond = (await ingest).perSecond;
    }
  } finally {
    await device.leave();
    await service.stop();
  }
  const p99 = median(p99Ms);
  return {
    name: `Stop${storage.suffix}, from the request to the device's receipt, at saturated ingest`,
    target: `p99 under ${targetMs} ms`,
    figure: `${p99.toFixed(0)} ms`,
    met: p99 < targetMs,
    detail: `median of ${ROUNDS} rounds of ${STOPS_PER_ROUND} stops, with ${whole(ingestPerSecond)} readings/s coming in from ${CONNECTIONS} connections`,
  };
}
