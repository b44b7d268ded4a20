import { join } from 'node:path';
import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { ensureProgram, INFLUXDB } from '../outside-programs.ts';
import { countReadings, registerSilos, SILOS } from './farm.ts';
import { generateHttpWrites } from './generator.ts';
import { TIME_PLACE } from './http-load.ts';
import { INFLUXDB_DATABASE, startInfluxDb } from './references.ts';
import { compareRates, type Finding, whole } from './report.ts';
import { type ServiceProcess, SQLITE, startBenchService } from './service-process.ts';

const ROUNDS = 5;
const ROUND_MS = 2_500;
const CONNECTIONS = 16;
const BATCHES = [
  { batch: 1, ratioMin: 1.5 },
  { batch: 1_000, ratioMin: 1.2 },
] as const;

/** Compares `POST …/telemetry` with the write endpoint of InfluxDB. */
export async function measureHttpIngest(dataDir: string): Promise<Finding[]> {
  await ensureProgram(INFLUXDB);
  const influx = await startInfluxDb(join(dataDir, 'influxdb'));
  const service = await startBenchService(join(dataDir, 'service'), SQLITE);
  try {
    const ids = (await registerSilos(service, CONNECTIONS)).map(({ username }) => username);
    const findings: Finding[] = [];
    // Each round has minutes of its own, so that no reading replaces another one.
    let firstTsMs = Date.now() - 2 * HOUR_MS;
    let answered = 0;
    for (const { batch, ratioMin } of BATCHES) {
      const write = (to: number, requests: readonly string[]) =>
        generateHttpWrites({ host: '127.0.0.1', port: to, requests, firstTsMs, durationMs: ROUND_MS });
      const finding = await compareRates(
        {
          name: `HTTP readings in batches of ${whole(batch)}, ${CONNECTIONS} connections, stored durably, against InfluxDB`,
          rounds: ROUNDS,
          unit: 'readings of three values/s',
          ratioMin,
          detail:
            'both as configured by default, which answers after the synchronised write; all readings were counted in the history afterwards',
        },
        async () => {
          firstTsMs += 5 * MINUTE_MS;
          const ownPort = Number(new URL(service.httpUrl).port);
          const result = await write(
            ownPort,
            ids.map((id) => ownRequest(service, id, batch)),
          );
          answered += result.readings;
          return result.perSecond;
        },
        async () => {
          const requests = ids.map((id) => influxRequest(id, batch));
          return (await write(influx.port, requests)).perSecond;
        },
      );
      findings.push(finding);
    }
    const stored = await countReadings(service, ids);
    if (stored !== answered) throw new Error(`${answered} readings were answered, ${stored} are stored`);
    return findings;
  } finally {
    await influx.stop();
    await service.stop();
  }
}

function ownRequest({ adminKey }: ServiceProcess, deviceId: string, batch: number): string {
  const reading = `{"ts":${TIME_PLACE},"weight":12345.678,"temperature":18.25,"humidity":55.5}`;
  const body = batch === 1 ? reading : `[${Array(batch).fill(reading).join()}]`;
  return post(`${SILOS}/${deviceId}/telemetry`, body, [
    `Authorization: Bearer ${adminKey.key}`,
    'Content-Type: application/json',
  ]);
}

function influxRequest(deviceId: string, batch: number): string {
  const line = `silo,device=${deviceId} weight=12345.678,temperature=18.25,humidity=55.5 ${TIME_PLACE}`;
  return post(`/write?db=${INFLUXDB_DATABASE}&precision=ms`, Array(batch).fill(line).join('\n'), []);
}

function post(path: string, body: string, headers: readonly string[]): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return `${[`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, length].join('\r\n')}\r\n\r\n${body}`;
}
