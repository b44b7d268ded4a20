import { connect, type Socket } from 'node:net';
import { BenchSilo } from './bench-silo.ts';
import { mqttAddress, registerSilos } from './farm.ts';
import { generateMqtt } from './generator.ts';
import { type Finding, median, percentile } from './report.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const DEVICES = 1_000;
const MEASURED_SILOS = 100;
const ROUNDS = 5;
const REPORT_MS = 10_000;
const ROUND_MS_MAX = 60_000;
const TARGET_MS = 250;
/** With a capacity of 20,000 kg, one weight is between the thresholds and one is below the low threshold. */
const NORMAL_KG = 10_000;
const LOW_KG = 3_000;

/** Measures the time from the acknowledgement of a reading beyond a threshold to the alert in the event stream. */
export async function measureAlerts(dataDir: string): Promise<Finding> {
  const service = await startServiceProcess({ GRANARY_DATA_DIR: dataDir, GRANARY_RATE_LIMIT: 'off' });
  const silos = await registerSilos(service, DEVICES);
  const abort = new AbortController();
  const ingest = generateMqtt(
    {
      ...mqttAddress(service),
      devices: silos.slice(MEASURED_SILOS),
      window: 1,
      intervalMs: REPORT_MS,
      durationMs: ROUND_MS_MAX,
    },
    abort.signal,
  );
  const raisedMs = new Map<string, number>();
  const socket = await openEventSocket(service, service.adminKey.key, (text) => {
    for (const [, data = ''] of text.matchAll(/event: alert\.raised\ndata: (.*)\n/g)) {
      const { device_id, data: alert } = JSON.parse(data) as { device_id: string; data: { type: string } };
      if (alert.type === 'low_level') raisedMs.set(device_id, performance.now());
    }
  });
  const p99Ms: number[] = [];
  const perRound = MEASURED_SILOS / ROUNDS;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const latenciesMs: number[] = [];
      for (const silo of silos.slice(round * perRound, (round + 1) * perRound)) {
        const device = await BenchSilo.connect(service, silo);
        await device.weigh(NORMAL_KG);
        await device.weigh(LOW_KG);
        const acknowledgedMs = performance.now();
        while (!raisedMs.has(silo.username)) await new Promise((resolve) => setTimeout(resolve, 1));
        latenciesMs.push(Math.max(0, (raisedMs.get(silo.username) ?? Number.NaN) - acknowledgedMs));
        await device.leave();
      }
      p99Ms.push(percentile(latenciesMs, 0.99));
    }
  } finally {
    socket.destroy();
    abort.abort();
    await ingest;
    await service.stop();
  }
  const p99 = median(p99Ms);
  return {
    name: 'Alert raised after the crossing reading is acknowledged, with 1,000 devices',
    target: `p99 under ${TARGET_MS} ms`,
    figure: `${p99.toFixed(0)} ms`,
    met: p99 < TARGET_MS,
    detail: `as seen in the event stream; median of ${ROUNDS} rounds of ${perRound} crossings, the other devices reporting every ${REPORT_MS / 1_000} s`,
  };
}

/**
 * Opens a reader of the event stream on a raw socket, so that its times are those of the arrival. Without `onText` it reads
 * no more after the start.
 */
export function openEventSocket(
  service: ServiceProcess,
  key: string,
  onText: ((text: string) => void) | null,
): Promise<Socket> {
  const { hostname: host, port } = new URL(service.httpUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) });
    socket.once('error', reject);
    socket.once('data', (head: Buffer) => {
      if (!head.toString().startsWith('HTTP/1.1 200')) return reject(new Error(head.toString()));
      if (onText === null) socket.pause();
      else socket.on('data', (chunk: Buffer) => onText(chunk.toString()));
      resolve(socket);
    });
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  });
}
