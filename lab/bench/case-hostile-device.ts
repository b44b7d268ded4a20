import { setTimeout as sleep } from 'node:timers/promises';
import { mqttAddress, registerSilos } from './farm.ts';
import { generateNonsense, generateReports } from './generator.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import { SQLITE, startBenchService } from './service-process.ts';

const ROUNDS = 5;
const ROUND_MS = 5_000;
const SETTLE_MS = 1_000;
const DEVICES = 100;
const REPORT_MS = 100;
const RATIO_MAX = 2;

/** Measures how long normal devices wait for acknowledgements while one device sends invalid messages as fast as it can. */
export async function measureHostileDevice(dataDir: string): Promise<Finding> {
  const service = await startBenchService(dataDir, SQLITE);
  const calmMs: number[] = [];
  const attackedMs: number[] = [];
  let unacknowledged = 0;
  let disconnects = 0;
  let bytes = 0;
  try {
    const [hostile, ...devices] = await registerSilos(service, DEVICES + 1);
    if (hostile === undefined) throw new Error('no silo was registered');
    const load = { ...mqttAddress(service), intervalMs: REPORT_MS, durationMs: ROUND_MS };
    const measure = async (): Promise<number> => {
      const result = await generateReports({ ...load, devices });
      unacknowledged += result.unacknowledged;
      disconnects += result.disconnects;
      return percentile(result.latenciesMs, 0.99);
    };
    for (let round = 0; round <= ROUNDS; round++) {
      const calm = await measure();
      const over = new AbortController();
      const attack = generateNonsense(
        { ...load, devices: [hostile], durationMs: 10 * ROUND_MS },
        over.signal,
      );
      // If something else fails first, that error is reported.
      attack.catch(() => undefined);
      await sleep(SETTLE_MS);
      const attacked = await measure();
      over.abort();
      bytes += (await attack).bytes;
      await sleep(SETTLE_MS);
      // The first round warms up.
      if (round === 0) continue;
      calmMs.push(calm);
      attackedMs.push(attacked);
    }
  } finally {
    await service.stop();
  }
  const ratio = median(attackedMs.map((ms, round) => ms / (calmMs[round] ?? Number.NaN)));
  return {
    name: `Acknowledgement of ${DEVICES} devices while another one sends nonsense at full speed, against without it`,
    target: `p99 at most ${RATIO_MAX} times, nothing lost, nobody disconnected`,
    figure: `${ratio.toFixed(2)} times, ${unacknowledged} lost, ${disconnects} disconnected`,
    met: ratio <= RATIO_MAX && unacknowledged === 0 && disconnects === 0,
    detail: `p99 ${median(attackedMs).toFixed(1)} against ${median(calmMs).toFixed(1)} ms at ${whole((DEVICES * 1_000) / REPORT_MS)} messages/s; ${ROUNDS} rounds in turns; ${whole(bytes / 2 ** 20)} MiB of nonsense`,
  };
}
