import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { Addresses, ServiceProcess } from './service-process.ts';

export interface Credentials {
  readonly username: string;
  readonly secret: string;
}

export const SILOS = '/v1/siloscale/devices';
export const FIELD_DEVICES = '/v1/fielddevice/devices';

/** Registrations at the same time share commits. */
const REGISTERED_AT_ONCE = 10;

/** Where devices and load generators connect to. */
export function mqttAddress({ mqttUrl }: Addresses): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(mqttUrl);
  return { host: hostname, port: Number(port) };
}

/** Calls the service with the admin key, with `null` for a POST without a body; an error ends the benchmark. */
export async function ask(service: Addresses, path: string, body?: object | null): Promise<Response> {
  const authorization = `Bearer ${service.adminKey.key}`;
  const headers = body == null ? { authorization } : { authorization, 'content-type': 'application/json' };
  const payload = body == null ? {} : { body: JSON.stringify(body) };
  const init = { headers, method: body === undefined ? 'GET' : 'POST', ...payload };
  const response = await fetch(service.httpUrl + path, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
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
  const register = async (number: number): Promise<Credentials> => {
    const device = {
      device_id: `${prefix}-${String(number).padStart(4, '0')}`,
      name: `Silo ${number}`,
      model: 'GS-100',
      location: { facility: `facility-${number % facilities}`, zone: 'a' },
      capacity: { max: 20_000, unit: 'kg' },
      sensors,
    };
    const { data } = (await (await ask(service, SILOS, device)).json()) as {
      data: { credentials: Credentials };
    };
    return data.credentials;
  };
  const credentials: Credentials[] = [];
  while (credentials.length < count) {
    const next = Array.from(
      { length: Math.min(REGISTERED_AT_ONCE, count - credentials.length) },
      (_, index) => credentials.length + index + 1,
    );
    credentials.push(...(await Promise.all(next.map(register))));
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
    const answer = await ask(service, FIELD_DEVICES, { device_id: name, name, model: 'FR-7', location });
    const { data } = (await answer.json()) as { data: { credentials: Credentials } };
    credentials.push(data.credentials);
  }
  return credentials;
}

/** How many readings of these silos are in the history. */
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
