import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { phaseOf } from '@granary/bridge/endpoint/poll-grid';
import { writeSecrets } from '@granary/bridge/site/secrets';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { connectAsync } from 'mqtt';
import { ensureProgram, MOSQUITTO } from '../outside-programs.ts';
import { ask, type Credentials, registerSilos } from './farm.ts';
import { type Finding, percentile, whole } from './report.ts';
import {
  GRANARY,
  processorMs,
  residentMiB,
  type ServiceProcess,
  SQLITE,
  startBenchService,
} from './service-process.ts';

const SECONDS = 45;
const SETTLE_MS = 10_000;
const CORE_MAX = 0.5;
const MODBUS_DEVICES = 500;
const POINTS = 30;
const PERIOD_MS = 1_000;
const LATE_MS_MAX = 25;
const MIB_MAX = 250;
const MQTT_DEVICES = 5_000;
const EVERY_S = 10;
const TURN_MS = 100;
/**
 * The stored readings of only this many devices are checked, because reading all of them would take longer than the
 * measurement. They have a facility of their own.
 */
const LOOKED_AT = 25;
const LOOKED_AT_FACILITY = 'facility-0';

/**
 * Measures all parts together: field devices, `granary bridge run` with a session for each of them, and the service, each in
 * its own process.
 */
const withService =
  <Result>(measure: (service: ServiceProcess, site: string) => Promise<Result>) =>
  async (dataDir: string): Promise<Result> => {
    const service = await startBenchService(join(dataDir, 'service'), SQLITE);
    try {
      return await measure(service, join(dataDir, 'site.yaml'));
    } finally {
      await service.stop();
    }
  };

export const measureBridgeSessions = withService(measureModbus);
export const measureMessageSessions = withService(measureMessages);

const MAPPING = `mapping: measured
version: 1
title: A measured device
source: this benchmark
evidence: peer
protocol: modbus
profile: silo_scale
defaults: {timeout: 1s, every: 1s}
points:
  value: {at: 0, count: ${POINTS}, type: u16, unit: kg, kind: measured, sensor: "value{n}"}
`;

async function measureModbus(service: ServiceProcess, site: string): Promise<Finding[]> {
  const peers = spawn(
    process.execPath,
    [fileURLToPath(new URL('./bridge-devices.ts', import.meta.url)), String(MODBUS_DEVICES)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [line] = (await once(createInterface({ input: peers.stdout }), 'line')) as [string];
    const ports = JSON.parse(line) as number[];
    const sensors = Array.from({ length: POINTS }, (_, index) => ({
      sensor_id: `value${index + 1}`,
      type: 'measured',
      unit: 'kg',
    }));
    const facilities = MODBUS_DEVICES / LOOKED_AT;
    const devices = await registerSilos(service, MODBUS_DEVICES, { prefix: 'modbus', sensors, facilities });
    await writeSite(service, site, devices, (_, index) => ({
      mapping: 'measured',
      endpoint: `tcp://127.0.0.1:${ports[index]}`,
    }));
    const { core, mib, fromMs, toMs } = await run(site, devices, service, async () => {
      await sleep(SECONDS * 1_000);
    });
    const stored = await storedOf(service, 'value1', fromMs, toMs);
    const late = stored.map(
      ({ device_id, timestamp }) => (Date.parse(timestamp) - phaseOf(device_id, PERIOD_MS)) % PERIOD_MS,
    );
    // A poll that begins just before its slot, because the clock is rounded, is not late.
    const lateMs = late.map((ms) => (ms > PERIOD_MS - 3 ? 0 : ms));
    const share = late.length / ((LOOKED_AT * (toMs - fromMs)) / PERIOD_MS);
    const p99 = percentile(lateMs, 0.99);
    const load = `${MODBUS_DEVICES} Modbus TCP devices of jsmodbus × ${POINTS} points × 1 s for ${SECONDS} s, each with its session at the service`;
    return [
      {
        name: 'Bridge: 500 Modbus devices with their sessions',
        target: `at most ${CORE_MAX} core and ${MIB_MAX} MiB`,
        figure: `${core.toFixed(2)} core, ${whole(mib)} MiB`,
        met: core <= CORE_MAX && mib <= MIB_MAX && share > 0.99,
        detail: `${load}; ${(100 * share).toFixed(2)} % of the polls of ${LOOKED_AT} of them are stored by the service`,
      },
      {
        name: 'Bridge: lateness of polls with sessions',
        target: `p99 at most ${LATE_MS_MAX} ms`,
        figure: `p99 ${p99.toFixed(1)} ms`,
        met: p99 <= LATE_MS_MAX,
        detail: `the times of the stored readings against the slots of their devices, with the time of the answer; median ${percentile(lateMs, 0.5).toFixed(1)} ms, the latest ${whole(Math.max(...lateMs))} ms`,
      },
    ];
  } finally {
    peers.kill();
  }
}

async function measureMessages(service: ServiceProcess, site: string): Promise<Finding> {
  await ensureProgram(MOSQUITTO);
  const broker = await MosquittoBroker.start();
  try {
    const lid = [{ sensor_id: 'lid', type: 'lid', unit: 'state' }];
    const facilities = MQTT_DEVICES / LOOKED_AT;
    const devices = await registerSilos(service, MQTT_DEVICES, {
      prefix: 'message',
      sensors: lid,
      facilities,
    });
    await writeSite(service, site, devices, ({ username }) => ({
      mapping: 'json-example',
      endpoint: broker.url,
      options: { address: username },
    }));
    const publisher = await connectAsync(broker.url);
    let sent = 0;
    const publish = async (seconds: number): Promise<void> => {
      const startedMs = performance.now();
      const firstNumber = sent;
      while (performance.now() - startedMs < seconds * 1_000) {
        const due =
          firstNumber + Math.floor(((performance.now() - startedMs) / 1_000) * (MQTT_DEVICES / EVERY_S));
        for (; sent < due; sent++) {
          const payload = JSON.stringify({
            at: new Date().toISOString(),
            status: 'ok',
            scale: { kilograms: sent % 20_000 },
            temperature: 21.5,
          });
          publisher.publish(`sensors/${devices[sent % MQTT_DEVICES]?.username}/state`, payload, { qos: 1 });
        }
        await sleep(TURN_MS);
      }
    };
    const { core, mib, fromMs, toMs } = await run(
      site,
      devices,
      service,
      () => publish(SECONDS),
      () => publish(2 * EVERY_S),
    );
    await publisher.endAsync();
    await sleep(5_000);
    const { length: stored } = await storedOf(service, 'weight', fromMs, toMs);
    const expected = (LOOKED_AT * (toMs - fromMs)) / 1_000 / EVERY_S;
    return {
      name: `Bridge: ${whole(MQTT_DEVICES)} devices that speak JSON over MQTT, with their sessions`,
      target: `every message stored, at most ${CORE_MAX} of a core`,
      figure: `${((100 * stored) / expected).toFixed(2)} % stored, ${core.toFixed(2)} of a core, ${whole(mib)} MiB`,
      met: stored >= 0.97 * expected && core <= CORE_MAX,
      detail: `one message every ${EVERY_S} s each, from a Mosquitto, for ${SECONDS} s; ${stored} readings of ${LOOKED_AT} of them; ${whole(MQTT_DEVICES)} sessions at the service in one process`,
    };
  } finally {
    await broker.remove();
  }
}

type Place = Readonly<Record<string, unknown>>;

async function writeSite(
  service: ServiceProcess,
  site: string,
  devices: readonly Credentials[],
  placeOf: (device: Credentials, index: number) => Place,
): Promise<void> {
  const { data } = (await (
    await ask(service, '/v1/keys', { name: 'bridge', scopes: ['ingest'] })
  ).json()) as {
    data: { key: string };
  };
  const text = {
    bridge: { id: 'measured', service: { url: service.httpUrl, mqtt: service.mqttUrl } },
    mappings: ['measured.yaml'],
    devices: devices.map((device, index) => ({ id: device.username, ...placeOf(device, index) })),
  };
  await writeFile(join(site, '..', 'measured.yaml'), MAPPING);
  // JSON is YAML, too.
  await writeFile(site, JSON.stringify(text));
  await writeSecrets(site.replace('.yaml', '.data/secrets.json'), {
    key: data.key,
    devices: Object.fromEntries(devices.map(({ username, secret }) => [username, secret])),
  });
}

/** Runs a bridge until all its devices are connected, and then for the time of the load. */
async function run(
  site: string,
  devices: readonly Credentials[],
  service: ServiceProcess,
  load: () => Promise<void>,
  warmUp: () => Promise<void> = () => Promise.resolve(),
) {
  const bridge = spawn(process.execPath, [GRANARY, 'bridge', 'run', '--site', site, '--log-level', 'warn'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], MALLOC_ARENA_MAX: '1' },
  });
  const exited = once(bridge, 'exit');
  const pid = bridge.pid ?? 0;
  try {
    await sleep(5_000);
    await warmUp();
    await untilConnected(service, devices.length);
    await sleep(SETTLE_MS);
    const [cpuMs, fromMs] = [await processorMs(pid), Date.now()];
    await load();
    const toMs = Date.now();
    const core = ((await processorMs(pid)) - cpuMs) / (toMs - fromMs);
    return { core, mib: await residentMiB(pid), fromMs, toMs };
  } finally {
    await sleep(3_000);
    bridge.kill('SIGTERM');
    await exited;
  }
}

const PATIENCE_MS = 90_000;

async function untilConnected(service: ServiceProcess, count: number): Promise<void> {
  for (const endsMs = performance.now() + PATIENCE_MS; performance.now() < endsMs; await sleep(1_000)) {
    const response = await ask(service, '/v1/bridges/measured').catch(() => null);
    const { data } = ((await response?.json()) ?? { data: { devices: [] } }) as {
      data: { devices: { connected: boolean }[] };
    };
    if (data.devices.filter(({ connected }) => connected).length >= count) return;
  }
  throw new Error('not all devices of the bridge are connected');
}

interface Stored {
  readonly device_id: string;
  readonly timestamp: string;
}

/** The stored readings of the checked devices. One export reads all rows of this time, so one export serves all of them. */
async function storedOf(
  service: ServiceProcess,
  sensor: string,
  fromMs: number,
  toMs: number,
): Promise<Stored[]> {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  const query = `facility=${LOOKED_AT_FACILITY}&sensor=${sensor}&from=${from}&to=${to}&format=ndjson`;
  const text = await (await ask(service, `/v1/readings?${query}`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Stored);
}
