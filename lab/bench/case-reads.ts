import { ask, mqttAddress, registerSilos, SILOS } from './farm.ts';
import { generateHttp, generateMqtt } from './generator.ts';
import { startBareFastify, startBareHttp } from './references.ts';
import { compareRates, type Finding, median } from './report.ts';
import { SQLITE, type Storage, startBenchService } from './service-process.ts';

const ROUNDS = 7;
const ROUND_MS = 2_500;
const CONNECTIONS = 32;
/** The required shares of the rates of bare servers. */
const BARE = [
  {
    start: startBareFastify,
    name: 'a bare route of Fastify that sends the same headers and bytes',
    ratioMin: { sqlite: 0.9, postgres: undefined },
  },
  {
    start: startBareHttp,
    name: 'bare `node:http` sending the same bytes',
    ratioMin: { sqlite: 0.85, postgres: 0.45 },
  },
] as const;
const PER_SECOND_MIN = 10_000;
/** A large site: a thousand devices that report every ten seconds send a hundred messages a second. */
const DEVICES = 100;
const REPORT_MS = 1_000;

/** Measures authenticated reads of a silo's sensors while devices report, against bare servers that always send the same headers and bytes. */
export async function measureReads(dataDir: string, storage: Storage = SQLITE): Promise<Finding[]> {
  const service = await startBenchService(dataDir, storage);
  try {
    const [read, ...devices] = await registerSilos(service, DEVICES + 1);
    const reading = { ts: Date.now(), weight: 12_345.678, temperature: 18.25, humidity: 55.5 };
    await ask(service, `${SILOS}/${read?.username}/telemetry`, reading);
    const path = `${SILOS}/${read?.username}/sensors`;
    const answer = await ask(service, path);
    const bytes = { headers: Object.fromEntries(answer.headers), body: await answer.text() };
    const ingest = generateMqtt({
      ...mqttAddress(service),
      devices,
      window: 1,
      intervalMs: REPORT_MS,
      durationMs: BARE.length * (ROUNDS + 1) * 2 * (ROUND_MS + 500),
    });
    const { hostname: host, port } = new URL(service.httpUrl);
    const load = { host, path, key: service.adminKey.key, connections: CONNECTIONS, durationMs: ROUND_MS };
    const findings: Finding[] = [];
    for (const { start, name, ratioMin } of BARE) {
      const reference = await start(bytes, path);
      const p99Ms: number[] = [];
      const finding = await compareRates(
        {
          name: `Authenticated \`GET …/sensors\`${storage.suffix} with ingest running, against ${name}`,
          rounds: ROUNDS,
          unit: 'requests/s',
          ratioMin: storage.databaseUrl === '' ? ratioMin.sqlite : ratioMin.postgres,
          perSecondMin: PER_SECOND_MIN,
          detail: `${CONNECTIONS} connections, ${DEVICES * (1_000 / REPORT_MS)} messages/s coming in`,
        },
        async () => {
          const result = await generateHttp({ ...load, port: Number(port) });
          p99Ms.push(result.p99Ms);
          return result.perSecond;
        },
        async () => (await generateHttp({ ...load, port: reference.port })).perSecond,
      ).finally(() => reference.stop());
      findings.push({ ...finding, detail: `${finding.detail}; p99 ${median(p99Ms).toFixed(1)} ms` });
    }
    await ingest;
    return findings;
  } finally {
    await service.stop();
  }
}
