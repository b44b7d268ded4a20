import { type Credentials, countReadings, mqttAddress, registerSilos } from './farm.ts';
import { generateMqtt } from './generator.ts';
import { type Finding, median, whole } from './report.ts';
import { type ServiceProcess, SQLITE, type Storage, startBenchService } from './service-process.ts';

const ROUNDS = 7;
const ROUND_MS = 3_000;
const CONNECTIONS = 200;
/** Unacknowledged messages per device: as many as common clients allow, and one, as simple devices have it. */
const WINDOWS = [20, 1] as const;
const TARGET_PER_SECOND = 8_000;

/** Measures telemetry that is stored durably, bucketed and acknowledged; every acknowledged reading has to be in the history afterwards. */
export async function measureIngest(dataDir: string, storage: Storage = SQLITE): Promise<Finding[]> {
  const service = await startBenchService(dataDir, storage);
  try {
    const devices = await registerSilos(service, CONNECTIONS);
    const findings: Finding[] = [];
    let acknowledged = 0;
    for (const window of WINDOWS) {
      const measured = await measureWindow(service, devices, window);
      acknowledged += measured.acknowledged;
      const figure = median(measured.perSecond);
      findings.push({
        name: `MQTT QoS 1 telemetry${storage.suffix} from ${CONNECTIONS} connections, window ${window}`,
        target: `at least ${whole(TARGET_PER_SECOND)} messages/s`,
        figure: `${whole(figure)} messages/s`,
        met: figure >= TARGET_PER_SECOND,
        detail: `stored durably, bucketed and acknowledged; window: unacknowledged messages on each connection; median of ${ROUNDS} rounds; all ${whole(measured.acknowledged)} acknowledged readings were counted in the history afterwards`,
      });
    }
    const ids = devices.map(({ username }) => username);
    const stored = await countReadings(service, ids);
    if (stored !== acknowledged)
      throw new Error(`${acknowledged} messages were acknowledged, ${stored} are stored`);
    return findings;
  } finally {
    await service.stop();
  }
}

async function measureWindow(service: ServiceProcess, devices: readonly Credentials[], window: number) {
  const perSecond: number[] = [];
  let acknowledged = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const load = { ...mqttAddress(service), devices, window, intervalMs: 0, durationMs: ROUND_MS };
    const result = await generateMqtt(load);
    acknowledged += result.acknowledged;
    // The first round warms up.
    if (round > 0) perSecond.push(result.perSecond);
  }
  return { perSecond, acknowledged };
}
