import { setTimeout as sleep } from 'node:timers/promises';
import { type App, openApp } from '@granary/app/app';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { ask, registerSilos, SILOS } from './farm.ts';
import type { LoadRequest } from './http-load.ts';
import { type Finding, whole } from './report.ts';
import { type ServiceProcess, SQLITE, type Storage, startServiceProcess } from './service-process.ts';
import { asPercent, processorTime, stolenSince } from './stolen-time.ts';
import { type Answers, StopClientProcess, type StopDevices } from './stop-client.ts';
import {
  begin,
  besideLoad,
  findingOf,
  type Load,
  locationOf,
  longestOf,
  type Outcome,
  registerDevices,
  watchedService,
} from './stops-beside.ts';
import { type TurnFigures, turnsSinceLast } from './turn-watch.ts';

/** The number of stops of each kind (operation stops and emergency stops) beside one load. */
const STOPS_PER_LOAD = 60;
const HISTORY_SILO = 'history-0001';
const HISTORY_DAYS = 34;
const BUCKET_MS = 5 * MINUTE_MS;
const READINGS_PER_BATCH = 500;
/** The number of rounds if the service has to be started or ended in each of them. */
const ROUNDS = 8;
const STOPS_PER_ROUND = 8;
const ROUND_APART_MS = 20;
const STARTS_AT_ONCE = 100;
/** The service ends this long after the first stops, so that stops come before, during and after its end. */
const END_AFTER_MS = 60;
const LONG_HISTORIES = 50;
const TURN_MS_MAX = 10;

/** The devices that are stopped and started in a round. */
interface Round {
  readonly stopped: StopDevices;
  readonly started: StopDevices;
}

/** Measures operation stops and emergency stops, from the request to the device, beside the heaviest requests that callers may send. */
export async function measureStopsBesideLoad(dataDir: string, storage: Storage = SQLITE): Promise<Finding[]> {
  // With PostgreSQL only some of the requests are answered differently, so only these are measured.
  const isMeasured = ({ name }: Load): boolean =>
    storage === SQLITE || name.includes('only read') || name.includes('lists');
  const { env, turnsFile } = watchedService(dataDir, storage);
  let service = await startServiceProcess(env);
  const findings: Finding[] = [];
  // The case takes minutes, so each figure is printed as soon as it is known.
  const add = async (measure: () => Promise<Finding>): Promise<void> => {
    const start = await processorTime();
    const finding = await measure();
    const detail = `${finding.detail}; the host took ${asPercent(await stolenSince(start))}`;
    console.log(`  ${finding.name}: ${finding.figure}; ${detail}`);
    findings.push({ ...finding, detail });
  };
  const addStops = (load: string, measure: () => Promise<Outcome>): Promise<void> =>
    add(async () => findingOf(`${load}${storage.suffix}`, await measure()));
  try {
    await registerSilos(service, 1, { prefix: 'history' });
    const loads = loadsOf(service, await createReadKey(service)).filter(isMeasured);
    const ofLoads: StopDevices[] = [];
    for (const index of loads.keys()) {
      ofLoads.push(await registerDevices(service, `load-${index}`, STOPS_PER_LOAD));
    }
    const coldRounds = await registerRounds(service, 'cold', STARTS_AT_ONCE);
    const lastRounds = await registerRounds(service, 'last', 0);
    await service.stop();
    await writeHistory(dataDir, storage);

    service = await startServiceProcess(env);
    const histories = loadsOf(service, await createReadKey(service))[0];
    if (histories === undefined) throw new Error('no histories are wanted');
    await add(() => longestTurn(service, histories, turnsFile, storage));
    for (const [index, load] of loads.entries()) {
      const devices = ofLoads[index];
      if (devices !== undefined)
        await addStops(load.name, () => besideLoad(service, devices, load, turnsFile));
    }
    await addStops(`${STARTS_AT_ONCE} parallel starts on a node that was just started`, async () => {
      const outcomes: Outcome[] = [];
      for (const { stopped, started } of coldRounds) {
        const restart = async (): Promise<ServiceProcess> => {
          await service.stop();
          service = await startServiceProcess(env);
          return service;
        };
        outcomes.push(await besideColdStarts(service, restart, stopped, started));
      }
      return together(outcomes);
    });
    await addStops(`${histories.name}, while the service ends (SIGTERM)`, async () => {
      const outcomes: Outcome[] = [];
      for (const { stopped } of lastRounds) {
        outcomes.push(await whileEnding(service, stopped, histories));
        service = await startServiceProcess(env);
      }
      return together(outcomes);
    });
    return findings;
  } finally {
    await service.stop();
  }
}

async function registerRounds(service: ServiceProcess, prefix: string, starts: number): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const stopped = await registerDevices(service, `${prefix}-${round}`, STOPS_PER_ROUND);
    const silos = await registerSilos(service, starts, { prefix: `${prefix}-${round}-started` });
    rounds.push({ stopped, started: { silos, rovers: [] } });
  }
  return rounds;
}

async function createReadKey(service: ServiceProcess): Promise<string> {
  const answer = await ask(service, '/v1/keys', { name: 'reader', scopes: ['read'] });
  return ((await answer.json()) as { data: { key: string } }).data.key;
}

/** Writes a value for each five minutes of the first silo, as many as one answer may contain. */
async function writeHistory(folder: string, storage: Storage): Promise<void> {
  const app: App = await openApp(locationOf(folder, storage));
  try {
    const device = await app.devices.find(HISTORY_SILO);
    const endMs = Date.now() - DAY_MS / 24;
    const readings = Array.from({ length: (HISTORY_DAYS * DAY_MS) / BUCKET_MS }, (_, index) => ({
      deviceNo: device?.deviceNo ?? 0,
      tsMs: endMs - HISTORY_DAYS * DAY_MS + index * BUCKET_MS,
      group: STANDARD_SENSORS.weight.lane.group,
      a: 5_000_000 + index * 13,
      b: 15_000 + (index % 977),
      c: 55_000 + (index % 1_000),
      badMask: 0,
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
    method: 'GET',
    path,
    headers: { authorization: `Bearer ${readKey}` },
  });
  const open = (path: string): LoadRequest => ({ method: 'GET', path, headers: {} });
  const admin = { authorization: `Bearer ${service.adminKey.key}` };
  const from = new Date(Date.now() - HISTORY_DAYS * DAY_MS).toISOString();
  const history = `${SILOS}/${HISTORY_SILO}/sensors/history?interval=5m&from=${from}`;
  const csv = { ...read(history), headers: { ...read('').headers, accept: 'text/csv' } };
  // The parser compares every key with the keys before it.
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

/** Stops among simultaneous starts, the first of which run code that was never run before. */
async function besideColdStarts(
  service: ServiceProcess,
  restart: () => Promise<ServiceProcess>,
  stopped: StopDevices,
  started: StopDevices,
): Promise<Outcome> {
  const client = new StopClientProcess(stopped);
  const starter = new StopClientProcess(started);
  try {
    await client.connect(service);
    await client.start();
    await client.leave();
    const cold = await restart();
    await Promise.all([client.connect(cold), starter.connect(cold)]);
    const [answers, times] = await Promise.all([starter.startAtOnce(), client.stop(ROUND_APART_MS)]);
    await Promise.all([client.leave(), starter.leave()]);
    return { times, answers };
  } finally {
    await Promise.all([client.end(), starter.end()]);
  }
}

async function whileEnding(service: ServiceProcess, stopped: StopDevices, load: Load): Promise<Outcome> {
  const client = new StopClientProcess(stopped);
  try {
    await client.connect(service);
    await client.start();
    const { end, ended } = await begin(service, load);
    const stopping = client.stop(ROUND_APART_MS);
    await sleep(END_AFTER_MS);
    await service.stop();
    const times = await stopping;
    end();
    await ended;
    // The service refuses the load while it ends, as it should.
    return { times, answers: {} };
  } finally {
    await client.end();
  }
}

/** How long the main thread works without handling a stop, while it makes long histories one after the other, the first in a new process. */
async function longestTurn(
  service: ServiceProcess,
  { requests: [wanted] }: Load,
  turnsFile: string,
  { suffix }: Storage,
): Promise<Finding> {
  const figures = (): Promise<TurnFigures> => turnsSinceLast(service, turnsFile);
  const history = async (): Promise<number> => {
    const answer = await ask(service, wanted?.path ?? '');
    return ((await answer.json()) as { data: { points: unknown[] } }).data.points.length;
  };
  await figures();
  const points = await history();
  const first = await figures();
  for (let asked = 1; asked < LONG_HISTORIES; asked++) await history();
  const others = await figures();
  return {
    name: `Longest turn of the main thread during a long history${suffix}`,
    target: `at most ${TURN_MS_MAX} ms`,
    figure: longestOf(others),
    met: others.longestMs <= TURN_MS_MAX,
    detail: `${whole(points)} points; the longest of ${whole(others.turns)} turns during ${LONG_HISTORIES - 1} histories one after another, ${longestOf(first)} during the first one of a new process`,
  };
}

function together(outcomes: readonly Outcome[]): Outcome {
  const answers: Answers = {};
  for (const outcome of outcomes)
    for (const [status, count] of Object.entries(outcome.answers))
      answers[Number(status)] = (answers[Number(status)] ?? 0) + count;
  return {
    answers,
    times: {
      operation: outcomes.flatMap(({ times }) => times.operation),
      emergency: outcomes.flatMap(({ times }) => times.emergency),
    },
  };
}
