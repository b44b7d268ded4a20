import { countReadings, registerSilos } from './farm.ts';
import { generateMqtt, startBareBroker } from './processes.ts';
import { type Finding, median, whole } from './report.ts';
import { SQLITE, startBenchService } from './storage.ts';

const ROUNDS = 7;
const ROUND_MS = 3_000;
const CONNECTIONS = 200;
/** Unacknowledged messages per device, as many as common clients allow. */
const WINDOW = 20;
const TARGET = 0.7;
const TARGET_PER_SECOND = 8_000;

/** Compares telemetry that is stored, bucketed and acknowledged with the bare broker, which discards it. */
export async function measureIngest(dataDir: string): Promise<Finding> {
  const service = await startBenchService(dataDir, SQLITE);
  const devices = await registerSilos(service, CONNECTIONS);
  const reference = await startBareBroker();
  const { hostname: host, port } = new URL(service.mqttUrl);
  const load = { host, devices, window: WINDOW, intervalMs: 0, durationMs: ROUND_MS };
  const ours: number[] = [];
  const bare: number[] = [];
  let acknowledged = 0;
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const stored = await generateMqtt({ ...load, port: Number(port) });
      const thrown = await generateMqtt({ ...load, port: reference.port });
      acknowledged += stored.acknowledged;
      if (round === 0) continue;
      ours.push(stored.perSecond);
      bare.push(thrown.perSecond);
    }
    const counted = await countReadings(
      service,
      devices.map(({ username }) => username),
    );
    if (counted !== acknowledged)
      throw new Error(`${acknowledged} messages were acknowledged, ${counted} are stored`);
  } finally {
    await reference.stop();
    await service.stop();
  }
  const ratio = median(ours.map((perSecond, round) => perSecond / (bare[round] ?? Number.NaN)));
  const perSecond = median(ours);
  return {
    name: 'MQTT QoS 1 telemetry from 200 connections, stored durably, bucketed and acknowledged, against the bare broker',
    target: `at least ${TARGET} and ${whole(TARGET_PER_SECOND)} messages/s`,
    figure: `${ratio.toFixed(2)}, ${whole(perSecond)} messages/s`,
    met: ratio >= TARGET && perSecond >= TARGET_PER_SECOND,
    detail: `bare broker ${whole(median(bare))} messages/s; up to ${WINDOW} unacknowledged messages on each connection; ${ROUNDS} rounds; all ${whole(acknowledged)} acknowledged readings were counted in the history afterwards`,
  };
}
