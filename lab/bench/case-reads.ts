import { ask, mqttAddress, registerSilos, SILOS } from './farm.ts';
import { generateHttp, generateMqtt } from './generator.ts';
import { type Finding, median, whole } from './report.ts';
import { SQLITE, type Storage, startBenchService } from './service-process.ts';

const ROUNDS = 7;
const ROUND_MS = 2_500;
const CONNECTIONS = 32;
const TARGET_PER_SECOND = 10_000;
/** A large site: a thousand devices that report every ten seconds send a hundred messages a second. */
const DEVICES = 100;
const REPORT_MS = 1_000;

/** Measures authenticated reads of a silo's sensors while devices report. */
export async function measureReads(dataDir: string, storage: Storage = SQLITE): Promise<Finding> {
  const service = await startBenchService(dataDir, storage);
  const perSecond: number[] = [];
  const p99Ms: number[] = [];
  try {
    const [read, ...devices] = await registerSilos(service, DEVICES + 1);
    const reading = { ts: Date.now(), weight: 12_345.678, temperature: 18.25, humidity: 55.5 };
    await ask(service, `${SILOS}/${read?.username}/telemetry`, reading);
    const { hostname: host, port } = new URL(service.httpUrl);
    const ingest = generateMqtt({
      ...mqttAddress(service),
      devices,
      window: 1,
      intervalMs: REPORT_MS,
      durationMs: (ROUNDS + 1) * (ROUND_MS + 500),
    });
    for (let round = 0; round <= ROUNDS; round++) {
      const result = await generateHttp({
        host,
        port: Number(port),
        path: `${SILOS}/${read?.username}/sensors`,
        key: service.adminKey.key,
        connections: CONNECTIONS,
        durationMs: ROUND_MS,
      });
      // The first round warms up.
      if (round === 0) continue;
      perSecond.push(result.perSecond);
      p99Ms.push(result.p99Ms);
    }
    await ingest;
  } finally {
    await service.stop();
  }
  const figure = median(perSecond);
  return {
    name: `Authenticated \`GET …/sensors\`${storage.suffix} with ingest running`,
    target: `at least ${whole(TARGET_PER_SECOND)} requests/s`,
    figure: `${whole(figure)} requests/s`,
    met: figure >= TARGET_PER_SECOND,
    detail: `p99 ${median(p99Ms).toFixed(1)} ms, ${CONNECTIONS} connections, ${DEVICES * (1_000 / REPORT_MS)} messages/s coming in, median of ${ROUNDS} rounds`,
  };
}
