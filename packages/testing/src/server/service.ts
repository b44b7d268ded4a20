import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { StoreLocation } from '@granary/app/app';
import { createService, type Started } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';
import { describeEachEngine, describeSqlite, type TestEngine } from '../app/engines.ts';
import { assertAudited, type SentRequest } from './audit-check.ts';
import { inItsTime } from './in-its-time.ts';
import {
  type DeviceLink,
  describeEachLink,
  EMBEDDED,
  type RunningLink,
  type TestedLink,
} from './links/device-links.ts';
import { assertPublished } from './published/answer-check.ts';
import { QUICK_PASSWORDS } from './quick-passwords.ts';

/** A parsed body of any form; the test asserts its fields. */
type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

type HeaderMap = Readonly<Record<string, string>>;

interface RawRequest {
  readonly headers?: HeaderMap;
  readonly body?: string;
}

/** Calls the service over its socket, as one key. */
export interface Api {
  readonly authorization: HeaderMap;
  readonly started: Started;
  /** The link to which devices connect. */
  readonly link: DeviceLink;
  raw(method: string, path: string, request: RawRequest): Promise<Answer>;
  get(path: string, headers?: HeaderMap): Promise<Answer>;
  post(path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>;
  put(path: string, body: unknown, headers?: HeaderMap): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  as(key: string): Api;
}

/**
 * Makes an `Api`. `onAnswer` gets every request with its answer, for the comparison with the audit log; `asking` decides whether a request
 * is sent again.
 */
export function apiOf(
  started: () => Started,
  key: () => string,
  onAnswer: (sent: SentRequest) => void = () => undefined,
  link: () => DeviceLink = () => EMBEDDED,
  asking: typeof inItsTime = (ask) => ask(),
): Api {
  const send: Api['raw'] = async (method, path, request) => {
    const response = await fetch(started().httpUrl + path, { method, ...request });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const { status, headers } = response;
    assertPublished({ method, path, status, headers, text });
    return { status, headers, text, body: isJson ? JSON.parse(text) : null };
  };
  const raw: Api['raw'] = async (method, path, request) => {
    const answer = await asking(() => send(method, path, request));
    const { status, headers, body } = answer;
    onAnswer({
      method,
      path,
      status,
      requestId: headers.get('x-request-id'),
      isReplayed: headers.has('idempotency-replayed'),
      code: body?.error?.code ?? null,
    });
    return answer;
  };
  const call = (method: string, path: string, body: unknown, headers: HeaderMap = {}): Promise<Answer> => {
    const authorization = { authorization: `Bearer ${key()}` };
    if (body === undefined) return raw(method, path, { headers: { ...authorization, ...headers } });
    const json = { ...authorization, 'content-type': 'application/json', ...headers };
    return raw(method, path, { headers: json, body: JSON.stringify(body) });
  };
  return {
    get authorization() {
      return { authorization: `Bearer ${key()}` };
    },
    get started() {
      return started();
    },
    get link() {
      return link();
    },
    raw,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body, headers) => call('PUT', path, body, headers),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path, undefined),
    as: (other) => apiOf(started, () => other, onAnswer, link, asking),
  };
}

type ServiceTests = (api: Api, location: () => StoreLocation) => void;
type Surroundings = Parameters<typeof createService>[1];

/** Runs a service while the work is done. The settings say where its data is, which may have been used before. */
export async function withService<T>(
  env: HeaderMap,
  parts: Surroundings,
  work: (api: Api) => Promise<T>,
): Promise<T> {
  const settings = readSettings({
    GRANARY_HTTP_PORT: '0',
    GRANARY_MQTT_PORT: '0',
    GRANARY_LINK_THREADS: '0',
    GRANARY_RATE_LIMIT: 'off',
    GRANARY_LOG_LEVEL: 'silent',
    GRANARY_COMPRESS_AFTER_DAYS: 'off',
    ...env,
  });
  const service = createService(settings, { passwordCosts: QUICK_PASSWORDS, ...parts });
  try {
    const started = await service.start();
    return await work(
      apiOf(
        () => started,
        () => started.adminKey.key,
        undefined,
        undefined,
        inItsTime,
      ),
    );
  } finally {
    await service.stop();
  }
}

/** Runs the tests against a whole service on free ports, once for each database, and compares its audit log with the requests. */
export function describeService(
  name: string,
  tests: ServiceTests,
  env: HeaderMap = {},
  parts: Surroundings = {},
): void {
  describeEachEngine(
    name,
    serviceSuite(tests, env, parts, async () => EMBEDDED),
  );
}

/** Runs suites about requests and answers on one database, because they are the same on each. */
export const describeRequests: typeof describeService = (name, tests, env = {}, parts = {}) =>
  describeSqlite(
    name,
    serviceSuite(tests, env, parts, async () => EMBEDDED),
  );

/** With this setting the embedded broker has a thread, as it usually has. */
const THREAD = { GRANARY_LINK_THREADS: '1' };

/** Runs suites about the guarantees of the device link, which hold for every broker: they run on Mosquitto, too. */
export const describeLinkService: typeof describeService = (name, tests, env = {}, parts = {}) =>
  describeEachLink(name, (engine, { start }) =>
    serviceSuite(tests, { ...THREAD, ...env }, parts, start)(engine),
  );

/** Runs suites about the embedded broker itself. */
export const describeEmbeddedLinkService: typeof describeService = (name, tests, env = {}, parts = {}) =>
  describeService(name, tests, { ...THREAD, ...env }, parts);

function serviceSuite(
  tests: ServiceTests,
  env: HeaderMap,
  parts: Surroundings,
  startLink: TestedLink['start'],
): (engine: TestEngine) => void {
  return (engine) => {
    let started: Started | undefined;
    let link: RunningLink = EMBEDDED;
    let folder = '';
    const sent: SentRequest[] = [];
    const undos: (() => Promise<void>)[] = [];
    const current = (): Started => {
      if (started === undefined) throw new Error('the service has not started');
      return started;
    };

    before(async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'granary-test-'));
      folder = dataDir;
      undos.push(() => rm(dataDir, { recursive: true, force: true }));
      link = await startLink();
      undos.push(() => link.stop());
      const { location } = engine;
      const settings = readSettings({
        GRANARY_HTTP_PORT: '0',
        GRANARY_MQTT_PORT: '0',
        // The broker has no thread here, because a thread takes longer to start than the rest of the service.
        GRANARY_LINK_THREADS: '0',
        GRANARY_RATE_LIMIT: 'off',
        GRANARY_LOG_LEVEL: 'silent',
        GRANARY_DATA_DIR: dataDir,
        GRANARY_DATABASE_URL: location.engine === 'postgres' ? location.url : '',
        ...env,
        ...link.env,
      });
      const service = createService(settings, { passwordCosts: QUICK_PASSWORDS, ...parts });
      started = await service.start();
      undos.push(() => assertAudited(sent, locationOfService(), settings));
      undos.push(() => service.stop());
    });

    after(async () => {
      // All of these run even if one fails: a broker that is left running would keep the process from ending.
      const faults: unknown[] = [];
      for (const undo of undos.reverse()) await undo().catch((fault: unknown) => faults.push(fault));
      if (faults.length > 0) throw faults[0];
    });

    const locationOfService = (): StoreLocation =>
      engine.location.engine === 'postgres' ? engine.location : { engine: 'sqlite', folder };
    tests(
      apiOf(
        current,
        () => current().adminKey.key,
        (one) => sent.push(one),
        () => link,
        inItsTime,
      ),
      locationOfService,
    );
  };
}

export const siloNamed = (deviceId: string, facility = 'north') => ({
  device_id: deviceId,
  name: `Silo ${deviceId}`,
  model: 'GS-100',
  firmware_version: '1.2.3',
  location: { facility, zone: 'a' },
  capacity: { max: 1_000, unit: 'kg' as const },
});

export const fieldDeviceNamed = (deviceId: string, facility = 'north') => ({
  device_id: deviceId,
  name: `Rover ${deviceId}`,
  model: 'GR-7',
  location: { facility, zone: 'a' },
});
