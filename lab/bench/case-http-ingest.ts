import { join } from 'node:path';
import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { countReadings, registerSilos, SILOS } from './farm.ts';
import { type HttpWriteResult, TIME_PLACE } from './http-write-load.ts';
import { INFLUXDB, INFLUXDB_DATABASE, startInfluxDb } from './peers/influxdb.ts';
import { leftOut, missingPeer } from './peers/installed.ts';
import { generateHttpWrites, type Reference } from './processes.ts';
import { type Finding, median, whole } from './report.ts';
import type { ServiceProcess } from './service-process.ts';
import { SQLITE, startBenchService } from './storage.ts';

const ROUNDS = 5;
const ROUND_MS = 2_500;
const CONNECTIONS = 16;
const BATCHES = [
  { batch: 1, ratioMin: 1.5 },
  { batch: 1_000, ratioMin: 1 },
] as const;

const nameOf = (batch: number): string =>
  `HTTP readings in batches of ${whole(batch)}, ${CONNECTIONS} connections, stored durably, against InfluxDB`;

/** Compares `POST …/telemetry` with the write endpoint of InfluxDB. */
export async function measureHttpIngest(dataDir: string): Promise<Finding[]> {
  const missing = await missingPeer(INFLUXDB);
  if (missing !== null)
    return BATCHES.map(({ batch, ratioMin }) =>
      leftOut(nameOf(batch), `at least ${ratioMin}`, INFLUXDB, missing),
    );
  const service = await startBenchService(join(dataDir, 'service'), SQLITE);
  let reference: Reference | undefined;
  try {
    const devices = await registerSilos(service, CONNECTIONS);
    const ids = devices.map(({ username }) => username);
    reference = await startInfluxDb(join(dataDir, 'influxdb'));
    const findings: Finding[] = [];
    // Each round has minutes of its own, so that no reading replaces another one.
    let firstTsMs = Date.now() - 2 * HOUR_MS;
    let stored = 0;
    for (const { batch, ratioMin } of BATCHES) {
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const load = { host: '127.0.0.1', firstTsMs, durationMs: ROUND_MS };
        const own = await generateHttpWrites({
          ...load,
          port: Number(new URL(service.httpUrl).port),
          requests: ids.map((id) => ownRequest(service, id, batch)),
        });
        const other = await generateHttpWrites({
          ...load,
          port: reference.port,
          requests: ids.map((id) => influxRequest(id, batch)),
        });
        firstTsMs += 5 * MINUTE_MS;
        stored += own.readings;
        if (round === 0) continue;
        ours.push(readingsPerSecond(own));
        theirs.push(readingsPerSecond(other));
      }
      findings.push(finding(batch, ratioMin, ours, theirs));
    }
    const counted = await countReadings(service, ids);
    if (counted !== stored) throw new Error(`${stored} readings were answered, ${counted} are stored`);
    return findings;
  } finally {
    await reference?.stop();
    await service.stop();
  }
}

const readingsPerSecond = ({ requestsPerSecond, readings, requests }: HttpWriteResult): number =>
  (requestsPerSecond * readings) / requests;

function finding(
  batch: number,
  ratioMin: number,
  ours: readonly number[],
  theirs: readonly number[],
): Finding {
  const ratio = median(ours.map((perSecond, round) => perSecond / (theirs[round] ?? Number.NaN)));
  return {
    name: nameOf(batch),
    target: `at least ${ratioMin}`,
    figure: ratio.toFixed(2),
    met: ratio >= ratioMin,
    detail: `${whole(median(ours))} against ${whole(median(theirs))} readings of three values/s; both as configured by default, which answers after the synchronised write; ${ROUNDS} rounds in turns; all readings were counted in the history afterwards`,
  };
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
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
