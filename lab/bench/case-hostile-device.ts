import { setTimeout as sleep } from 'node:timers/promises';
import type { AckLatencyResult } from './ack-latency-load.ts';
import { registerSilos } from './farm.ts';
import { generateAckLatency, generateHostile } from './processes.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import { startServiceProcess } from './service-process.ts';

const ROUNDS = 5;
const ROUND_MS = 5_000;
const SETTLE_MS = 1_000;
const DEVICES = 100;
const REPORT_MS = 100;
const RATIO_MAX = 2;

/** Measures the acknowledgement latency of normal devices while one device sends invalid messages as fast as it can. */
export async function measureHostileDevice(dataDir: string): Promise<Finding> {
  const service = await startServiceProcess({ GRANARY_DATA_DIR: dataDir, GRANARY_RATE_LIMIT: 'off' });
  const [hostile, ...good] = await registerSilos(service, DEVICES + 1);
  if (hostile === undefined) throw new Error('no silo was registered');
  const { hostname: host, port } = new URL(service.mqttUrl);
  const load = { host, port: Number(port), window: 1, intervalMs: REPORT_MS, durationMs: ROUND_MS };
  const calmMs: number[] = [];
  const hostileMs: number[] = [];
  const harm = { unacknowledged: 0, disconnects: 0 };
  let hostileBytes = 0;
  const measure = async (): Promise<number> => {
    const result: AckLatencyResult = await generateAckLatency({ ...load, devices: good });
    harm.unacknowledged += result.unacknowledged;
    harm.disconnects += result.disconnects;
    return percentile(result.latenciesMs, 0.99);
  };
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const calm = await measure();
      const abort = new AbortController();
      const attack = generateHostile(
        { ...load, devices: [hostile], durationMs: 10 * ROUND_MS },
        abort.signal,
      );
      // If something else fails first, that error is reported.
      attack.catch(() => undefined);
      await sleep(SETTLE_MS);
      const attacked = await measure();
      abort.abort();
      hostileBytes += (await attack).bytes;
      await sleep(SETTLE_MS);
      if (round === 0) continue;
      calmMs.push(calm);
      hostileMs.push(attacked);
    }
  } finally {
    await service.stop();
  }
  const ratio = median(hostileMs.map((ms, round) => ms / (calmMs[round] ?? Number.NaN)));
  const isUnharmed = harm.unacknowledged === 0 && harm.disconnects === 0;
  return {
    name: `Acknowledgement of ${DEVICES} devices while another one sends nonsense at full speed, against without it`,
    target: `p99 at most ${RATIO_MAX} times, nothing lost, nobody disconnected`,
    figure: `${ratio.toFixed(2)} times, ${harm.unacknowledged} lost, ${harm.disconnects} disconnected`,
    met: ratio <= RATIO_MAX && isUnharmed,
    detail: `p99 ${median(hostileMs).toFixed(1)} against ${median(calmMs).toFixed(1)} ms at ${whole((DEVICES * 1_000) / REPORT_MS)} messages/s; ${ROUNDS} rounds in turns; ${whole(hostileBytes / 2 ** 20)} MiB of nonsense`,
  };
}
