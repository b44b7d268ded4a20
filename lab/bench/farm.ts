import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, SECOND_MS } from '@granary/contract/time';
import type { Addresses, ServiceProcess } from './service-process.ts';

export interface Credentials {
  readonly username: string;
  readonly secret: string;
}

export const SILOS = '/v1/siloscale/devices';
export const FIELD_DEVICES = '/v1/fielddevice/devices';

/** Registrations that run at the same time share commits. */
const REGISTERED_AT_ONCE = 10;
const REGISTRATION_TRIES = 20;

/** The address to which devices and load generators connect. */
export function mqttAddress({ mqttUrl }: Addresses): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(mqttUrl);
  return { host: hostname, port: Number(port) };
}

type Body = object | null | undefined;

function send(service: Addresses, path: string, body: Body, more: Record<string, string>): Promise<Response> {
  const authorization = `Bearer ${service.adminKey.key}`;
  const type: Record<string, string> = body == null ? {} : { 'content-type': 'application/json' };
  const payload = body == null ? {} : { body: JSON.stringify(body) };
  const method = body === undefined ? 'GET' : 'POST';
  return fetch(service.httpUrl + path, { headers: { authorization, ...type, ...more }, method, ...payload });
}

async function successOf(path: string, response: Response): Promise<Response> {
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Calls the service with the admin key, with `null` for a POST without a body; an error ends the benchmark. */
export const ask = async (service: Addresses, path: string, body?: object | null): Promise<Response> =>
  successOf(path, await send(service, path, body, {}));

/** Repeats the request while the machine is too busy for the time limits of the storage. */
async function register(service: Addresses, path: string, device: object): Promise<Credentials> {
  const key = { 'idempotency-key': randomUUID() };
  let response = await send(service, path, device, key);
  for (let attempt = 1; response.status === 503 && attempt < REGISTRATION_TRIES; attempt++) {
    await sleep(SECOND_MS);
    response = await send(service, path, device, key);
  }
  const { data } = (await (await successOf(path, response)).json()) as { data: { credentials: Credentials } };
  return data.credentials;
}

export async function registerSilos(
  service: ServiceProcess,
  count: number,
  {
    prefix = 'silo',
    sensors,
    facilities = 10,
  }: { readonly prefix?: string; readonly sensors?: readonly object[]; readonly facilities?: number } = {},
): Promise<Credentials[]> {
  const registered = (number: number): Promise<Credentials> =>
    register(service, SILOS, {
      device_id: `${prefix}-${String(number).padStart(4, '0')}`,
      name: `Silo ${number}`,
      model: 'GS-100',
      location: { facility: `facility-${number % facilities}`, zone: 'a' },
      capacity: { max: 20_000, unit: 'kg' },
      sensors,
    });
  const credentials: Credentials[] = [];
  while (credentials.length < count) {
    const next = Array.from(
      { length: Math.min(REGISTERED_AT_ONCE, count - credentials.length) },
      (_, index) => credentials.length + index + 1,
    );
    credentials.push(...(await Promise.all(next.map(registered))));
  }
  return credentials;
}

export async function registerRovers(
  service: Addresses,
  count: number,
  prefix: string,
): Promise<Credentials[]> {
  const credentials: Credentials[] = [];
  for (let number = 0; number < count; number++) {
    const name = `${prefix}-rover-${number}`;
    const location = { facility: 'facility-1', zone: 'a' };
    const device = { device_id: name, name, model: 'FR-7', location };
    credentials.push(await register(service, FIELD_DEVICES, device));
  }
  return credentials;
}

/** The number of readings of these silos in the history. */
export async function countReadings(
  service: ServiceProcess,
  deviceIds: readonly string[],
  fromMs = Date.now() - DAY_MS,
): Promise<number> {
  let sum = 0;
  const from = new Date(fromMs - HOUR_MS).toISOString();
  const to = new Date(Date.now() + DAY_MS).toISOString();
  for (const deviceId of deviceIds) {
    const query = `aggregate=count&interval=1h&from=${from}&to=${to}`;
    const answer = await ask(service, `${SILOS}/${deviceId}/sensors/history?${query}`);
    const { data } = (await answer.json()) as { data: { points: { value: number }[] } };
    for (const { value } of data.points) sum += value;
  }
  return sum;
}
