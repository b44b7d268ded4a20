import { enlargeStore } from '@granary/testing/server/large-store';
import { bridgedDevice } from '@granary/testing/server/scripted-bridge';
import { ask, registerSilos } from './farm.ts';
import type { LoadRequest } from './http-load.ts';
import type { Finding } from './report.ts';
import { type ServiceProcess, SQLITE, type Storage, startServiceProcess } from './service-process.ts';
import type { StopDevices } from './stop-client.ts';
import {
  besideLoad,
  findingOf,
  type Load,
  locationOf,
  registerDevices,
  watchedService,
} from './stops-beside.ts';

/** The number of stops of each kind (operation stops and emergency stops) beside one load. */
const STOPS_PER_LOAD = 60;
/** The interval between stops, so long that every list is read. */
const APART_MS = 100;
const READERS = 8;
const STORED = {
  devices: 2_000,
  bridges: 100,
  devicesPerBridge: 5_000,
  people: 3_000,
  keys: 1_000,
  alerts: 10_000,
  others: 3_000,
};

/** Measures stops while callers read lists, counts and metrics over the largest stores that keys can make. */
export async function measureStored(dataDir: string, storage: Storage = SQLITE): Promise<Finding[]> {
  const { env, turnsFile } = watchedService(dataDir, storage);
  let service = await startServiceProcess(env);
  try {
    const loads = await loadsOf(service);
    const devices: StopDevices[] = [];
    for (const index of loads.keys()) {
      devices.push(await registerDevices(service, `load-${index}`, STOPS_PER_LOAD));
    }
    await service.stop();
    await enlargeStore(locationOf(dataDir, storage), STORED);
    service = await startServiceProcess(env);
    const findings: Finding[] = [];
    for (const [index, load] of loads.entries()) {
      const beside = devices[index] ?? { rovers: [], silos: [] };
      const outcome = await besideLoad(service, beside, load, turnsFile, APART_MS);
      const finding = findingOf(`${load.name}${storage.suffix}`, outcome);
      console.log(`  ${finding.name}: ${finding.figure}; ${finding.detail}`);
      findings.push(finding);
    }
    return findings;
  } finally {
    await service.stop();
  }
}

/** Makes one record of each kind, which is copied later, and the callers. */
async function loadsOf(service: ServiceProcess): Promise<Load[]> {
  const made = async (path: string, body: object) =>
    ((await (await ask(service, path, body)).json()) as { data: { readonly key?: string } }).data;
  const keyOf = async (body: object): Promise<string> =>
    (await made('/v1/keys', { name: 'reader', ...body })).key ?? '';
  await registerSilos(service, 1, { prefix: 'first' });
  const ingest = await keyOf({ scopes: ['ingest'] });
  const report = await fetch(`${service.httpUrl}/v1/bridges/first/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ingest}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...REPORT, devices: [bridgedDevice('first-0001')] }),
  });
  if (!report.ok) throw new Error(`the bridge was refused: ${await report.text()}`);
  await made('/v1/people', { login: 'first', name: 'First', grants: [{ role: 'viewer' }] });
  await made('/v1/terminals', { name: 'Wall', kind: 'display', facilities: ['facility-1'] });
  await made('/v1/notes', { facility: 'facility-1', text: 'noisy' });
  await made('/v1/views', { name: 'Low', address: '#/overview?show=low' });
  await made('/v1/webhooks', { url: 'https://receiver.example/', event_types: ['device.registered'] });
  const keys = {
    all: service.adminKey.key,
    device: await keyOf({ scopes: ['read'], device_ids: ['first-0001'] }),
    admin: await keyOf({ scopes: ['read', 'configure', 'admin'], facilities: ['facility-1'] }),
  };
  const get = (path: string, key?: string): LoadRequest => ({
    method: 'GET',
    path,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });
  return [
    { name: 'nothing', connections: READERS, requests: [] },
    {
      name: `${READERS} anonymous readers of the metrics`,
      connections: READERS,
      requests: [get('/metrics')],
    },
    {
      name: `${READERS} readers of bridges with a key of one device`,
      connections: READERS,
      requests: [get('/v1/bridges', keys.device)],
    },
    {
      name: `${READERS} readers of bridges with a key of everything`,
      connections: READERS,
      requests: [get('/v1/bridges/first', keys.all)],
    },
    {
      name: `${READERS} readers of one person with a limited key`,
      connections: READERS,
      requests: [get('/v1/people?limit=1', keys.admin)],
    },
    {
      name: `${READERS} readers of everything in turn`,
      connections: READERS,
      requests: LISTS.flatMap((path) => [get(path, keys.all), get(path, keys.admin)]),
    },
  ];
}

const REPORT = {
  session: 'one',
  version: '1',
  started_at: '2026-11-18T04:00:00Z',
  site: { file: 'site.yaml', loaded_at: null, faults: [] },
  journal: { readings: 0, bytes: 0, oldest_at: null, dropped: 0, fault: null, gaps: [] },
};

const LISTS = [
  '/v1/devices?limit=1000',
  '/v1/alerts?limit=1000',
  '/v1/alerts/statistics',
  '/v1/operations?limit=1000',
  '/v1/missions?limit=1000',
  '/v1/commands?limit=1000',
  '/v1/overview',
  '/v1/overview/time-zones',
  '/v1/forecasts',
  '/v1/refills',
  '/v1/order-list',
  '/v1/findings',
  '/v1/notes?limit=1000',
  '/v1/shift-report',
  '/v1/handovers',
  '/v1/reports',
  '/v1/views?limit=1000',
  '/v1/bridges',
  '/v1/bridges/first',
  '/v1/alarm-help',
  '/v1/keys?limit=1000',
  '/v1/people?limit=1000',
  '/v1/terminals?limit=1000',
  '/v1/notification-rules',
  '/v1/notifications',
  '/v1/webhooks?limit=1000',
  '/v1/audit?limit=1000',
  '/v1/sessions',
  '/v1/icar/feed-storage?limit=1000',
  '/v1/export',
  '/v1/history?interval=1h',
  '/metrics',
];
