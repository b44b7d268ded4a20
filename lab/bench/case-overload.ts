import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { BenchSilo, timeStops } from './bench-silo.ts';
import { mqttAddress, registerSilos, SILOS } from './farm.ts';
import { generateMqtt } from './generator.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import {
  residentMiB,
  type ServiceProcess,
  SQLITE,
  type Storage,
  startBenchService,
} from './service-process.ts';

const CONNECTIONS = 500;
const WINDOW = 100;
const STOPS = 300;
const RISE_MS = 3_000;
const PROBE_MS = 10;
const STOP_P99_MS_MAX = 50;
const STOP_MS_MAX = 150;
const ANSWER_P99_MS_MAX = 50;
const RESIDENT_MIB_MAX = 316;

/** Measures stops, answers and memory while devices send far more than can be stored. */
export async function measureOverload(dataDir: string, storage: Storage = SQLITE): Promise<Finding[]> {
  const service = await startBenchService(dataDir, storage);
  const over = new AbortController();
  try {
    const [own, ...others] = await registerSilos(service, CONNECTIONS + 1);
    if (own === undefined) throw new Error('no silo was registered');
    const device = await BenchSilo.connect(service, own);
    await device.weigh(10_000);
    const ingest = generateMqtt(
      {
        ...mqttAddress(service),
        devices: others,
        window: WINDOW,
        intervalMs: 0,
        durationMs: 10 * MINUTE_MS,
      },
      over.signal,
    );
    // If something else fails first, that error is reported.
    ingest.catch(() => undefined);
    await sleep(RISE_MS);
    const done = new AbortController();
    const probes = Promise.all([
      timeAnswers(service, '/livez', done.signal),
      timeAnswers(service, `${SILOS}/${own.username}/sensors`, done.signal),
      peakMiB(service.pid, done.signal),
    ]);
    // If something else fails first, that error is reported.
    probes.catch(() => undefined);
    const stopsMs = await timeStops(service, device, STOPS);
    done.abort();
    const [livez, reads, peak] = await probes;
    over.abort();
    const { perSecond } = await ingest;
    await device.leave();
    const load = `with ${whole(perSecond)} readings/s coming in from ${CONNECTIONS} connections with ${WINDOW} messages in flight each`;
    return [
      stopFinding(storage, stopsMs, load),
      answersFinding(`\`GET /livez\`${storage.suffix}`, livez),
      answersFinding(`\`GET …/sensors\`${storage.suffix}`, reads),
      {
        name: `Resident memory${storage.suffix} at overload`,
        target: `at most ${RESIDENT_MIB_MAX} MiB`,
        figure: `${whole(peak)} MiB`,
        met: peak <= RESIDENT_MIB_MAX,
        detail: `the highest of one sample a second, ${load}`,
      },
    ];
  } finally {
    over.abort();
    await service.stop();
  }
}

interface Answers {
  readonly elapsedMs: readonly number[];
  readonly refused: number;
}

async function timeAnswers({ httpUrl, adminKey }: ServiceProcess, path: string, done: AbortSignal) {
  const elapsedMs: number[] = [];
  let refused = 0;
  while (!done.aborted) {
    const startedMs = performance.now();
    const answer = await fetch(httpUrl + path, { headers: { authorization: `Bearer ${adminKey.key}` } });
    await answer.arrayBuffer();
    if (answer.ok) elapsedMs.push(performance.now() - startedMs);
    else refused++;
    await sleep(PROBE_MS);
  }
  return { elapsedMs, refused } satisfies Answers;
}

async function peakMiB(pid: number, done: AbortSignal): Promise<number> {
  let peak = 0;
  while (!done.aborted) {
    peak = Math.max(peak, await residentMiB(pid));
    await sleep(SECOND_MS);
  }
  return peak;
}

function stopFinding({ suffix }: Storage, stopsMs: readonly number[], detail: string): Finding {
  const p99 = percentile(stopsMs, 0.99);
  const max = Math.max(...stopsMs);
  return {
    name: `Stop${suffix}, from the request to the device's receipt, at overload`,
    target: `p99 at most ${STOP_P99_MS_MAX} ms, none over ${STOP_MS_MAX} ms`,
    figure: `${p99.toFixed(0)} ms, ${max.toFixed(0)} ms`,
    met: p99 <= STOP_P99_MS_MAX && max <= STOP_MS_MAX,
    detail: `${stopsMs.length} stops, half of them under ${median(stopsMs).toFixed(0)} ms, ${detail}`,
  };
}

function answersFinding(what: string, { elapsedMs, refused }: Answers): Finding {
  const p99 = percentile(elapsedMs, 0.99);
  return {
    name: `${what} at overload`,
    target: `p99 at most ${ANSWER_P99_MS_MAX} ms, none refused`,
    figure: `${p99.toFixed(1)} ms${refused === 0 ? '' : `, ${refused} refused`}`,
    met: p99 <= ANSWER_P99_MS_MAX && refused === 0,
    detail: `${whole(elapsedMs.length)} requests one after another, half of them under ${median(elapsedMs).toFixed(1)}, none over ${Math.max(...elapsedMs).toFixed(0)} ms, in the same load as the stops`,
  };
}
