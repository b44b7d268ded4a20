import { setTimeout as sleep } from 'node:timers/promises';
import { type App, openApp } from '@granary/app/app';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { ask, registerSilos, SILOS } from './farm.ts';
import { generateRequests } from './processes.ts';
import { type Finding, percentile, whole } from './report.ts';
import type { LoadRequest } from './request-load.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { StoppableRover, StoppableSilo } from './stoppable-device.ts';

const STOPS_PER_LOAD = 40;
/** Between two stops, at random up to this time. */
const PAUSE_MS_MAX = 120;
const STOP_P99_MS_MAX = 250;
const HISTORY_SILO = 'history-0001';
const HISTORY_DAYS = 34;
const BUCKET_MS = 5 * MINUTE_MS;
const READINGS_PER_BATCH = 500;
const COLD_ROUNDS = 5;
const STARTS_AT_ONCE = 100;
const STOPS_PER_COLD_ROUND = 4;
/** Between two stops of a round, so that they meet different parts of the rush. */
const COLD_PAUSE_MS = 40;

interface Load {
  readonly name: string;
  readonly connections: number;
  readonly requests: readonly LoadRequest[];
}

interface Times {
  readonly operation: number[];
  readonly emergency: number[];
}

type Answers = Record<number, number>;

/** Devices that are used once: an operation that is stopped and an emergency stop stay in force. */
interface Devices {
  readonly silos: readonly StoppableSilo[];
  readonly rovers: readonly StoppableRover[];
  /** Of a cold round; empty for a load. */
  readonly started: readonly StoppableSilo[];
}

/** Measures operation stops and emergency stops, from the request to the device, beside the heaviest requests that callers may send. */
export async function measureStopsBesideLoad(dataDir: string): Promise<Finding[]> {
  const env = { GRANARY_DATA_DIR: dataDir };
  let service = await startServiceProcess({ ...env, GRANARY_RATE_LIMIT: 'off' });
  try {
    await registerSilos(service, 1, { prefix: 'history' });
    const readKey = await createReadKey(service);
    const loads = loadsOf(service, readKey);
    const devicesOfLoads: Devices[] = [];
    for (const index of loads.keys()) {
      devicesOfLoads.push(await registerDevices(service, `load-${index}`, STOPS_PER_LOAD, 0));
    }
    const devicesOfRounds: Devices[] = [];
    for (let round = 0; round < COLD_ROUNDS; round++) {
      devicesOfRounds.push(
        await registerDevices(service, `cold-${round}`, STOPS_PER_COLD_ROUND, STARTS_AT_ONCE),
      );
    }
    await service.stop();
    await writeHistory(dataDir);
    service = await startServiceProcess(env);
    const findings: Finding[] = [];
    for (const [index, load] of loads.entries()) {
      const devices = devicesOfLoads[index];
      if (devices !== undefined) findings.push(await besideLoad(service, devices, load));
    }
    const times: Times = { operation: [], emergency: [] };
    const answers: Answers = {};
    for (const devices of devicesOfRounds) {
      await connectAll(service, devices.silos);
      await startAll(service, devices.silos);
      await leaveAll(devices.silos);
      await service.stop();
      service = await startServiceProcess(env);
      await besideColdStarts(service, devices, times, answers);
    }
    const rush = `${STARTS_AT_ONCE} parallel starts on a node that was just started`;
    return [...findings, findingOf(rush, times, answers)];
  } finally {
    await service.stop();
  }
}

async function registerDevices(
  service: ServiceProcess,
  prefix: string,
  stops: number,
  starts: number,
): Promise<Devices> {
  const register = async (name: string, count: number): Promise<StoppableSilo[]> =>
    (await registerSilos(service, count, { prefix: name })).map((silo) => new StoppableSilo(silo));
  const rovers: StoppableRover[] = [];
  for (let number = 0; number < stops; number++) {
    rovers.push(await StoppableRover.register(service, `${prefix}-rover-${number}`));
  }
  const silos = await register(prefix, stops);
  return { silos, rovers, started: starts === 0 ? [] : await register(`${prefix}-started`, starts) };
}

async function createReadKey(service: ServiceProcess): Promise<string> {
  const answer = await ask(service, '/v1/keys', { name: 'reader', scopes: ['read'] });
  return ((await answer.json()) as { data: { key: string } }).data.key;
}

/** Of the first silo a value for each five minutes, as long as one answer may hold them. */
async function writeHistory(folder: string): Promise<void> {
  const app: App = await openApp({ engine: 'sqlite', folder });
  try {
    const device = await app.devices.find(HISTORY_SILO);
    const endMs = Date.now() - DAY_MS / 24;
    const readings = Array.from({ length: (HISTORY_DAYS * DAY_MS) / BUCKET_MS }, (_, index) => ({
      deviceNo: device?.deviceNo ?? 0,
      tsMs: endMs - HISTORY_DAYS * DAY_MS + index * BUCKET_MS,
      group: STANDARD_SENSORS.weight.lane.group,
      ...{ a: 5_000_000 + index * 13, b: 15_000 + (index % 977), c: 55_000 + (index % 1_000), badMask: 0 },
    }));
    for (let start = 0; start < readings.length; start += READINGS_PER_BATCH) {
      const batch = readings.slice(start, start + READINGS_PER_BATCH);
      await app.telemetry.append({ readings: batch, seen: [], rejections: [] });
    }
  } finally {
    await app.close();
  }
}

function loadsOf(service: ServiceProcess, readKey: string): readonly Load[] {
  const read = (path: string): LoadRequest => ({
    ...{ method: 'GET', path },
    headers: { authorization: `Bearer ${readKey}` },
  });
  const open = (path: string): LoadRequest => ({ method: 'GET', path, headers: {} });
  const admin = { authorization: `Bearer ${service.adminKey.key}` };
  const from = new Date(Date.now() - HISTORY_DAYS * DAY_MS).toISOString();
  const history = `${SILOS}/${HISTORY_SILO}/sensors/history?interval=5m&from=${from}`;
  const csv = { ...read(history), headers: { ...read('').headers, accept: 'text/csv' } };
  // Every key is compared with those before it.
  const badYaml = Array.from({ length: 38_000 }, (_, index) => `key-${index}: 1`).join('\n');
  const yaml = { ...admin, 'content-type': 'application/yaml' };
  return [
    { name: '120 long histories of a key that may only read', connections: 120, requests: [read(history)] },
    { name: '120 long histories as CSV', connections: 120, requests: [csv] },
    {
      name: '20 exports at once',
      connections: 20,
      requests: [
        read(`/v1/readings?from=${from}`),
        read(`/v1/history?interval=5m&device_id=${HISTORY_SILO}&from=${from}`),
      ],
    },
    {
      name: '10 documents of a site, half of them bad YAML of 500 KB',
      connections: 10,
      requests: [
        { method: 'POST', path: '/v1/apply?dry_run=true', headers: yaml, body: badYaml },
        { method: 'GET', path: '/v1/export', headers: { ...admin, accept: 'application/yaml' } },
      ],
    },
    { name: '100 requests for metrics without a key', connections: 100, requests: [open('/metrics')] },
    {
      name: '100 requests for references and the page of the interface without a key',
      connections: 100,
      requests: [open('/openapi.json'), open('/docs/script.js'), open('/docs'), open('/asyncapi.json')],
    },
    {
      name: '100 requests for long lists',
      connections: 100,
      requests: [
        read('/v1/devices?include=readings&limit=1000'),
        read('/v1/overview'),
        read('/v1/operations?limit=1000'),
        read('/v1/alerts?limit=1000'),
      ],
    },
  ];
}

async function besideLoad(service: ServiceProcess, devices: Devices, load: Load): Promise<Finding> {
  const { silos, rovers } = devices;
  await connectAll(service, [...silos, ...rovers]);
  await startAll(service, silos);
  const over = new AbortController();
  const { connections, requests } = load;
  const begun = Promise.withResolvers<void>();
  const generated = generateRequests(
    { httpUrl: service.httpUrl, connections, requests, durationMs: 10 * MINUTE_MS },
    over.signal,
    begun.resolve,
  );
  await Promise.race([begun.promise, generated]);
  const times: Times = { operation: [], emergency: [] };
  for (const [index, silo] of silos.entries()) {
    times.operation.push(await silo.timeStop(service));
    await sleep(PAUSE_MS_MAX * Math.random());
    times.emergency.push((await rovers[index]?.timeStop(service)) ?? Number.NaN);
    await sleep(PAUSE_MS_MAX * Math.random());
  }
  over.abort();
  const { answers } = await generated;
  await leaveAll([...silos, ...rovers]);
  return findingOf(load.name, times, answers);
}

/** The stops are among the starts, the first of which run code that was never run before. */
async function besideColdStarts(
  service: ServiceProcess,
  { silos, rovers, started }: Devices,
  times: Times,
  answers: Answers,
): Promise<void> {
  await connectAll(service, [...silos, ...rovers, ...started]);
  const starting = started.map((silo) => silo.start(service).then(() => 200, statusOf));
  const stopping = silos.map(async (silo, index) => {
    await sleep(COLD_PAUSE_MS * index);
    times.operation.push(await silo.timeStop(service));
  });
  const emergencies = rovers.map(async (rover, index) => {
    await sleep(COLD_PAUSE_MS * index);
    times.emergency.push(await rover.timeStop(service));
  });
  await Promise.all([...stopping, ...emergencies]);
  for (const status of await Promise.all(starting)) answers[status] = (answers[status] ?? 0) + 1;
  await leaveAll([...silos, ...rovers, ...started]);
}

const statusOf = (error: Error): number => Number(/: (\d{3}) /.exec(error.message)?.[1] ?? 0);

type Connected = Pick<StoppableSilo | StoppableRover, 'connect' | 'leave'>;

async function connectAll(service: ServiceProcess, devices: readonly Connected[]): Promise<void> {
  await Promise.all(devices.map((device) => device.connect(service)));
}

async function leaveAll(devices: readonly Connected[]): Promise<void> {
  await Promise.all(devices.map((device) => device.leave()));
}

async function startAll(service: ServiceProcess, silos: readonly StoppableSilo[]): Promise<void> {
  for (const silo of silos) await silo.start(service);
}

function findingOf(load: string, { operation, emergency }: Times, answers: Answers): Finding {
  const all = [...operation, ...emergency];
  const p99 = percentile(all, 0.99);
  const figures = (times: readonly number[]): string =>
    [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times)]
      .map((ms) => ms.toFixed(0))
      .join(', ');
  const total = Object.values(answers).reduce((sum, count) => sum + count, 0);
  const refused = Object.entries(answers)
    .filter(([status]) => status !== '200')
    .map(([status, count]) => `${whole(count)} with ${status === '0' ? 'a closed connection' : status}`);
  return {
    name: `Stops beside ${load}`,
    target: `p99 at most ${STOP_P99_MS_MAX} ms`,
    figure: `${p99.toFixed(0)} ms`,
    met: p99 <= STOP_P99_MS_MAX,
    detail: `from the request to the device, half, p99 and the slowest in ms: ${operation.length} operation stops ${figures(operation)}, ${emergency.length} emergency stops ${figures(emergency)}; of ${whole(total)} requests of the others ${refused.length === 0 ? 'none was refused' : `refused ${refused.join(', ')}`}`,
  };
}
