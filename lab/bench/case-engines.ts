import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Credentials, countReadings, registerSilos } from './farm.ts';
import { generateMqtt } from './processes.ts';
import { type Finding, median, whole } from './report.ts';
import type { ServiceProcess } from './service-process.ts';
import { SQLITE, type Storage, startBenchService } from './storage.ts';

const ROUNDS = 5;
const ROUND_MS = 3_000;
const CONNECTIONS = 200;
/** Unacknowledged messages per device, and the part of the messages of SQLite that PostgreSQL has to reach with it. */
const WINDOWS = [
  { window: 20, target: 0.7 },
  { window: 1, target: 0.6 },
] as const;

/** A service with its devices. */
interface Measured {
  readonly service: ServiceProcess;
  readonly devices: readonly Credentials[];
  acknowledged: number;
}

/** Compares telemetry that is stored, bucketed and acknowledged on both engines, in turns. */
export async function measureEngines(dataDir: string, storage: Storage): Promise<Finding[]> {
  const started: Measured[] = [];
  const start = async (name: string, engine: Storage): Promise<Measured> => {
    const folder = join(dataDir, name);
    await mkdir(folder);
    const service = await startBenchService(folder, engine);
    const measured: Measured = { service, devices: [], acknowledged: 0 };
    started.push(measured);
    return Object.assign(measured, { devices: await registerSilos(service, CONNECTIONS) });
  };
  try {
    const sqlite = await start('sqlite', SQLITE);
    const other = await start('other', storage);
    const findings: Finding[] = [];
    for (const { window, target } of WINDOWS) findings.push(await compare(sqlite, other, window, target));
    for (const measured of started) await checkStored(measured);
    return findings;
  } finally {
    for (const { service } of started) await service.stop();
  }
}

async function compare(sqlite: Measured, other: Measured, window: number, target: number): Promise<Finding> {
  const ofSqlite: number[] = [];
  const ofOther: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const figures = [await perSecond(sqlite, window), await perSecond(other, window)] as const;
    // The first round warms up.
    if (round === 0) continue;
    ofSqlite.push(figures[0]);
    ofOther.push(figures[1]);
  }
  const ratio = median(ofOther.map((figure, round) => figure / (ofSqlite[round] ?? Number.NaN)));
  return {
    name: `MQTT QoS 1 telemetry from ${CONNECTIONS} connections, stored durably, bucketed and acknowledged, on PostgreSQL against SQLite, window ${window}`,
    target: `at least ${target}`,
    figure: `${ratio.toFixed(2)}, ${whole(median(ofOther))} messages/s`,
    met: ratio >= target,
    detail: `SQLite ${whole(median(ofSqlite))} messages/s; window: unacknowledged messages on each connection; ${ROUNDS} rounds in turns; all acknowledged readings were counted in the history afterwards`,
  };
}

async function perSecond(measured: Measured, window: number): Promise<number> {
  const { hostname: host, port } = new URL(measured.service.mqttUrl);
  const load = { host, port: Number(port), window, intervalMs: 0, durationMs: ROUND_MS };
  const result = await generateMqtt({ ...load, devices: measured.devices });
  measured.acknowledged += result.acknowledged;
  return result.perSecond;
}

async function checkStored({ service, devices, acknowledged }: Measured): Promise<void> {
  const ids = devices.map(({ username }) => username);
  const stored = await countReadings(service, ids);
  if (stored !== acknowledged)
    throw new Error(`${acknowledged} messages were acknowledged, ${stored} are stored`);
}
