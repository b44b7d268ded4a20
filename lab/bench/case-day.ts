import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { countReadings, mqttAddress, registerSilos } from './farm.ts';
import { generateMqtt } from './generator.ts';
import { type Finding, median, whole } from './report.ts';
import { residentMiB, SQLITE, startBenchService } from './service-process.ts';

const DEVICES = 1_000;
const EVERY_MS = 10 * SECOND_MS;
const HOURS = DAY_MS / HOUR_MS;
const PER_HOUR = HOUR_MS / EVERY_MS;
const WINDOW = 20;
/** The limit for an hour of messages, which usually take some seconds. */
const HOUR_TAKES_MS_MAX = 120_000;
const SAMPLE_MS = 500;
const GROWTH_MAX = 1.1;

interface Hour {
  readonly messagesPerSecond: number;
  /** The median of its samples. */
  readonly residentMiB: number;
  readonly storedMb: number;
}

/**
 * Sends the messages of a day of a large site, hour by hour, as fast as they are acknowledged, and measures memory and disk
 * after each hour.
 */
export async function measureDay(dataDir: string): Promise<Finding> {
  const service = await startBenchService(dataDir, SQLITE);
  try {
    const devices = await registerSilos(service, DEVICES, { facilities: 100 });
    const beginMs = Date.now() - DAY_MS;
    const hours: Hour[] = [];
    for (let hour = 0; hour < HOURS; hour++) {
      const samples: number[] = [];
      const sampling = setInterval(
        () => residentMiB(service.pid).then((mib) => samples.push(mib)),
        SAMPLE_MS,
      );
      const { perSecond } = await generateMqtt({
        ...mqttAddress(service),
        devices,
        window: WINDOW,
        intervalMs: 0,
        durationMs: HOUR_TAKES_MS_MAX,
        times: { firstMs: beginMs + hour * HOUR_MS, everyMs: EVERY_MS, count: PER_HOUR },
      }).finally(() => clearInterval(sampling));
      hours.push({
        messagesPerSecond: perSecond,
        residentMiB: median(samples),
        storedMb: await storedMb(dataDir),
      });
    }
    const sent = DEVICES * HOURS * PER_HOUR;
    const ids = devices.map(({ username }) => username);
    const stored = await countReadings(service, ids, beginMs);
    if (stored !== sent) throw new Error(`${sent} messages were acknowledged, ${stored} are stored`);
    return findingOf(hours, sent);
  } finally {
    await service.stop();
  }
}

function findingOf(hours: readonly Hour[], sent: number): Finding {
  const rates = hours.map(({ messagesPerSecond }) => messagesPerSecond);
  const memoryOf = (part: readonly Hour[]): number => median(part.map((hour) => hour.residentMiB));
  const [second, last] = [memoryOf(hours.slice(6, 12)), memoryOf(hours.slice(-6))];
  const curve = [1, 4, 8, 12, 16, 20, 24].map((hour) => {
    const { residentMiB: mib = 0, storedMb: mb = 0 } = hours[hour - 1] ?? {};
    return `${hour} h ${whole(mib)} MiB, ${whole(mb)} MB`;
  });
  return {
    name: `Memory over the messages of a day of ${whole(DEVICES)} devices that report every 10 s, at full speed`,
    target: `the last quarter at most ${GROWTH_MAX} times the second one`,
    figure: `${whole(second)} and ${whole(last)} MiB`,
    met: last <= GROWTH_MAX * second,
    detail: `${whole(sent)} messages, ${whole(median(rates))} messages/s (last hour ${whole(rates.at(-1) ?? 0)}); memory and disk after ${curve.join('; ')}; all were counted in the history afterwards`,
  };
}

/** The size of the files of the store, with its journal. */
async function storedMb(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('granary.db'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
}
