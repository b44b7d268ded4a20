import type { ServiceProcess } from '@granary/server/testing/service-process';

export interface Credentials {
  readonly username: string;
  readonly secret: string;
}

export const SILOS = '/v1/siloscale/devices';

/** Calls the service with the admin key, with `null` for a POST without a body; an error ends the benchmark. */
export async function ask(service: ServiceProcess, path: string, body?: object | null): Promise<Response> {
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
  more: { readonly prefix?: string; readonly sensors?: readonly object[] } = {},
): Promise<Credentials[]> {
  const { prefix = 'silo', ...fields } = more;
  const credentials: Credentials[] = [];
  for (let number = 1; number <= count; number++) {
    const device = {
      device_id: `${prefix}-${String(number).padStart(4, '0')}`,
      name: `Silo ${number}`,
      model: 'GS-100',
      location: { facility: `facility-${number % 10}`, zone: 'a' },
      capacity: { max: 20_000, unit: 'kg' },
      ...fields,
    };
    const { data } = (await (await ask(service, SILOS, device)).json()) as {
      data: { credentials: Credentials };
    };
    credentials.push(data.credentials);
  }
  return credentials;
}
