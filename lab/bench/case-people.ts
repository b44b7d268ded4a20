import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@granary/client';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { ask, type Credentials, mqttAddress, registerRovers, registerSilos } from './farm.ts';
import { generateMqtt, generateRequests } from './generator.ts';
import type { LoadRequest } from './http-load.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import { type ServiceProcess, SQLITE, type Storage, startServiceProcess } from './service-process.ts';
import { StopClientProcess, type StopDevices } from './stop-client.ts';

const DEVICES = 1_000;
const REPORT_EVERY_MS = SECOND_MS;
const ROUNDS = 3;
const ROUND_MS = 45 * SECOND_MS;
const STOPS = 40;
/** The interval between stops, so that they arrive throughout a round. */
const APART_MS = 450;
const PEOPLE = 20;
const TERMINALS = 20;
/** The number of connections that spread somewhat more than 10,000 wrong PINs over a round: a pause follows each of them. */
const PIN_CONNECTIONS = 48;
const PINS_MIN = 10_000;
const SIGN_INS = 200;
const RATIO_MIN = 0.95;
/** The allowed delay, because stops vary by some milliseconds from round to round. */
const SLOWER_MS_MAX = 25;
const PASSWORD = 'four geese behind the barn';
const FACILITIES = Array.from({ length: 10 }, (_, index) => `facility-${index}`);

interface Round {
  readonly stopsMs: readonly number[];
  readonly unsent: number;
  readonly readingsPerSecond: number;
}

interface Attacked extends Round {
  readonly pins: number;
  /** How long each person who signed in has waited. */
  readonly signInsMs: readonly number[];
}

/** Measures stops and readings while 10,000 wrong PINs and 200 simultaneous sign-ins arrive, and without them. */
export async function measurePeople(dataDir: string, storage: Storage = SQLITE): Promise<Finding[]> {
  const service = await startServiceProcess({
    GRANARY_DATA_DIR: dataDir,
    GRANARY_DATABASE_URL: storage.databaseUrl,
    GRANARY_RATE_LIMIT: 'off',
  });
  try {
    const devices = await registerSilos(service, DEVICES);
    const sets: StopDevices[] = [];
    for (let set = 0; set < 2 * ROUNDS; set++) {
      const prefix = `stopped-${set}`;
      const rovers = await registerRovers(service, STOPS, prefix);
      sets.push({ rovers, silos: await registerSilos(service, STOPS, { prefix }) });
    }
    const requests = await wrongPins(service);
    const quiet: Round[] = [];
    const attacked: Attacked[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [first, second] = [sets[2 * round], sets[2 * round + 1]];
      if (first === undefined || second === undefined) throw new Error('a round without devices');
      quiet.push(await measureRound(service, devices, first));
      attacked.push(await measureAttack(service, devices, second, requests));
    }
    return findingsOf(quiet, attacked, storage);
  } finally {
    await service.stop();
  }
}

/** One wrong PIN of each person at each terminal, so that as many as possible are compared and not only counted. */
async function wrongPins(service: ServiceProcess): Promise<LoadRequest[]> {
  const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const signedIn = async (body: object): Promise<Record<string, string>> => {
    const answer = await fetch(`${service.httpUrl}/v1/session`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(body),
    });
    return { ...json, cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '' };
  };
  const codeOf = async (path: string, body: object): Promise<string> =>
    ((await (await ask(service, path, body)).json()) as { data: { code: string } }).data.code;
  for (let number = 0; number < PEOPLE; number++) {
    const person = { login: `person-${number}`, name: `Person ${number}`, grants: [{ role: 'operator' }] };
    const headers = await signedIn({ invite: await codeOf('/v1/people', person), password: PASSWORD });
    const body = JSON.stringify({ current_password: PASSWORD, pin: '4071' });
    await fetch(`${service.httpUrl}/v1/me/pin`, { method: 'PUT', headers, body });
  }
  const requests: LoadRequest[] = [];
  for (let number = 0; number < TERMINALS; number++) {
    const terminal = { name: `Terminal ${number}`, kind: 'terminal', facilities: FACILITIES };
    const headers = await signedIn({ code: await codeOf('/v1/terminals', terminal) });
    for (let person = 0; person < PEOPLE; person++) {
      const body = JSON.stringify({ login: `person-${person}`, pin: '4072' });
      requests.push({ method: 'PUT', path: '/v1/session/person', headers, body });
    }
  }
  return requests;
}

async function measureAttack(
  service: ServiceProcess,
  devices: readonly Credentials[],
  stopped: StopDevices,
  requests: readonly LoadRequest[],
): Promise<Attacked> {
  const over = new AbortController();
  const load = { httpUrl: service.httpUrl, connections: PIN_CONNECTIONS, requests, durationMs: MINUTE_MS };
  let signIns: Promise<readonly number[]> = Promise.resolve([]);
  const pins = generateRequests(load, over.signal, () => {
    signIns = signInAtOnce(service);
  });
  const round = await measureRound(service, devices, stopped);
  over.abort();
  const { answers } = await pins;
  // A PIN is answered as wrong, or refused because of earlier wrong ones; any other answer is a fault.
  const refused = (answers[403] ?? 0) + (answers[429] ?? 0);
  return { ...round, pins: refused, signInsMs: await signIns };
}

/** Signs in with the client of the operators' page, which waits if it is told that too many people sign in. */
async function signInAtOnce({ httpUrl }: ServiceProcess): Promise<readonly number[]> {
  const client = createClient({ baseUrl: httpUrl });
  const beganMs = performance.now();
  const waits = await Promise.all(
    Array.from({ length: SIGN_INS }, (_, index) =>
      client.session.create({ login: `person-${index % PEOPLE}`, password: PASSWORD }).then(
        () => performance.now() - beganMs,
        () => null,
      ),
    ),
  );
  return waits.filter((waitMs) => waitMs !== null);
}

async function measureRound(
  service: ServiceProcess,
  devices: readonly Credentials[],
  stopped: StopDevices,
): Promise<Round> {
  const client = new StopClientProcess(stopped);
  try {
    await client.connect(service);
    await client.start();
    const load = { ...mqttAddress(service), devices, window: 4, intervalMs: REPORT_EVERY_MS };
    const reports = generateMqtt({ ...load, durationMs: ROUND_MS });
    await sleep(2 * SECOND_MS);
    const { operation, emergency } = await client.stop(APART_MS);
    const all = [...operation, ...emergency];
    const stopsMs = all.flatMap(({ reachedMs }) => reachedMs ?? []);
    const { perSecond } = await reports;
    await client.leave();
    return { stopsMs, unsent: all.length - stopsMs.length, readingsPerSecond: perSecond };
  } finally {
    await client.end();
  }
}

function findingsOf(quiet: readonly Round[], attacked: readonly Attacked[], { suffix }: Storage): Finding[] {
  const p99 = (rounds: readonly Round[]): number =>
    percentile(
      rounds.flatMap(({ stopsMs }) => stopsMs),
      0.99,
    );
  const [beside, alone] = [p99(attacked), p99(quiet)];
  const unsent = attacked.reduce((sum, round) => sum + round.unsent, 0);
  const pins = attacked.reduce((sum, round) => sum + round.pins, 0);
  const signInsMs = attacked.flatMap((round) => round.signInsMs);
  const allIn = signInsMs.length === SIGN_INS * attacked.length;
  const ratio = median(
    attacked.map((round, index) => round.readingsPerSecond / (quiet[index]?.readingsPerSecond ?? 0)),
  );
  const load = `${whole(pins)} wrong PINs in ${attacked.length} rounds with ${SIGN_INS} sign-ins at once in each (${signInsMs.length} of ${SIGN_INS * attacked.length} signed in, the last after ${(Math.max(...signInsMs) / SECOND_MS).toFixed(1)} s), while ${whole(DEVICES)} devices report every second`;
  const enough = attacked.every((round) => round.pins >= PINS_MIN);
  return [
    {
      name: `Stops beside wrong PINs and sign-ins${suffix}`,
      target: `p99 at most ${SLOWER_MS_MAX} ms above that without them; no stop and no sign-in refused for good`,
      figure: `${beside.toFixed(0)} ms; without ${alone.toFixed(0)} ms`,
      met: beside - alone <= SLOWER_MS_MAX && unsent === 0 && allIn && enough,
      detail: `${load}; ${unsent} of ${2 * STOPS * attacked.length} stops not sent`,
    },
    {
      name: `Readings beside wrong PINs and sign-ins${suffix}`,
      target: `ratio ≥ ${RATIO_MIN}`,
      figure: ratio.toFixed(2),
      met: ratio >= RATIO_MIN,
      detail: `${whole(median(attacked.map(({ readingsPerSecond }) => readingsPerSecond)))} and ${whole(median(quiet.map(({ readingsPerSecond }) => readingsPerSecond)))} readings/s`,
    },
  ];
}
