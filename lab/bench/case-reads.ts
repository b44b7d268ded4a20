import { ask, registerSilos, SILOS } from './farm.ts';
import { generateHttp, generateMqtt, startBareHttp } from './processes.ts';
import { type Finding, median, whole } from './report.ts';
import { SQLITE, type Storage, startBenchService } from './storage.ts';

const ROUNDS = 7;
const ROUND_MS = 2_500;
const CONNECTIONS = 32;
const TARGET = 0.85;
/** A large site: a thousand devices that report every ten seconds send a hundred messages a second. */
const DEVICES = 100;
const REPORT_MS = 1_000;

/** Compares authenticated reads of a silo's sensors, while devices report, with a server that always sends the same bytes. */
export async function measureReads(dataDir: string, storage: Storage = SQLITE): Promise<Finding> {
  const target = storage.targets?.reads ?? TARGET;
  const service = await startBenchService(dataDir, storage);
  const [read, ...devices] = await registerSilos(service, DEVICES + 1);
  const path = `${SILOS}/${read?.username}/sensors`;
  await ask(service, `${SILOS}/${read?.username}/telemetry`, {
    ts: Date.now(),
    weight: 12_345.678,
    temperature: 18.25,
    humidity: 55.5,
  });
  const answer = await ask(service, path);
  const reference = await startBareHttp({
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  });
  const { hostname: host, port } = new URL(service.httpUrl);
  const load = { host, path, key: service.adminKey.key, connections: CONNECTIONS, durationMs: ROUND_MS };
  const mqtt = new URL(service.mqttUrl);
  const ingest = generateMqtt({
    host: mqtt.hostname,
    port: Number(mqtt.port),
    devices,
    window: 1,
    intervalMs: REPORT_MS,
    durationMs: (ROUNDS + 1) * 2 * (ROUND_MS + 500),
  });
  const ours: number[] = [];
  const bare: number[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const service = await generateHttp({ ...load, port: Number(port) });
      const plain = await generateHttp({ ...load, port: reference.port });
      if (round === 0) continue;
      ours.push(service.perSecond);
      bare.push(plain.perSecond);
    }
    await ingest;
  } finally {
    await reference.stop();
    await service.stop();
  }
  const ratio = median(ours.map((perSecond, round) => perSecond / (bare[round] ?? Number.NaN)));
  return {
    name: `Authenticated \`GET …/sensors\`${storage.suffix} with ingest running, against bare \`node:http\` sending the same bytes`,
    target: `at least ${target}`,
    figure: ratio.toFixed(2),
    met: ratio >= target,
    detail: `${whole(median(ours))} against ${whole(median(bare))} requests/s, ${CONNECTIONS} connections, ${DEVICES * (1_000 / REPORT_MS)} messages/s coming in, ${ROUNDS} rounds`,
  };
}
