import { join } from 'node:path';
import { countReadings, registerSilos } from './farm.ts';
import { leftOut, missingPeer } from './peers/installed.ts';
import { MOSQUITTO, startMosquitto, startPersistentMosquitto } from './peers/mosquitto.ts';
import { generateMqtt, type Reference } from './processes.ts';
import { type Finding, median, whole } from './report.ts';
import { SQLITE, startBenchService } from './storage.ts';

const ROUND_MS = 3_000;

interface Comparison {
  readonly name: string;
  readonly connections: number;
  readonly window: number;
  readonly rounds: number;
  readonly ratioMin: number;
  readonly start: (folder: string) => Promise<Reference>;
}

const COMPARISONS: readonly Comparison[] = [
  {
    name: 'MQTT QoS 1 telemetry, 200 connections, window 20, stored durably, against Mosquitto storing nothing',
    connections: 200,
    window: 20,
    rounds: 5,
    ratioMin: 0.8,
    start: startMosquitto,
  },
  {
    name: 'MQTT QoS 1 telemetry, 200 connections, window 1, stored durably, against Mosquitto with persistence and a subscriber',
    connections: 200,
    window: 1,
    rounds: 5,
    ratioMin: 1,
    start: startPersistentMosquitto,
  },
  {
    name: 'MQTT QoS 1 telemetry, 5,000 connections, window 20, stored durably, against Mosquitto storing nothing',
    connections: 5_000,
    window: 20,
    rounds: 3,
    ratioMin: 0.6,
    start: startMosquitto,
  },
];

/** Compares telemetry that is stored, bucketed and acknowledged with a broker written in C. */
export async function measureMosquitto(dataDir: string): Promise<Finding[]> {
  const missing = await missingPeer(MOSQUITTO);
  const findings: Finding[] = [];
  for (const [index, comparison] of COMPARISONS.entries()) {
    const target = `at least ${comparison.ratioMin}`;
    findings.push(
      missing === null
        ? await compare(join(dataDir, String(index)), comparison, target)
        : leftOut(comparison.name, target, MOSQUITTO, missing),
    );
  }
  return findings;
}

async function compare(folder: string, comparison: Comparison, target: string): Promise<Finding> {
  const { name, connections, window, rounds, ratioMin } = comparison;
  const service = await startBenchService(join(folder, 'service'), SQLITE);
  const ours: number[] = [];
  const theirs: number[] = [];
  let acknowledged = 0;
  let reference: Reference | undefined;
  try {
    const devices = await registerSilos(service, connections);
    reference = await comparison.start(join(folder, 'mosquitto'));
    const { hostname: host, port } = new URL(service.mqttUrl);
    const load = { host, devices, window, intervalMs: 0, durationMs: ROUND_MS };
    for (let round = 0; round <= rounds; round++) {
      const stored = await generateMqtt({ ...load, port: Number(port) });
      const other = await generateMqtt({ ...load, port: reference.port });
      acknowledged += stored.acknowledged;
      if (round === 0) continue;
      ours.push(stored.perSecond);
      theirs.push(other.perSecond);
    }
    const ids = devices.map(({ username }) => username);
    const counted = await countReadings(service, ids);
    if (counted !== acknowledged)
      throw new Error(`${acknowledged} messages were acknowledged, ${counted} are stored`);
  } finally {
    await reference?.stop();
    await service.stop();
  }
  const ratio = median(ours.map((perSecond, round) => perSecond / (theirs[round] ?? Number.NaN)));
  return {
    name,
    target,
    met: ratio >= ratioMin,
    figure: ratio.toFixed(2),
    detail: `${whole(median(ours))} against ${whole(median(theirs))} messages/s; ${rounds} rounds in turns; our acknowledgements come after the synchronised write, those of Mosquitto do not wait for it; all ${whole(acknowledged)} acknowledged readings were counted in the history afterwards`,
  };
}
