import assert from 'node:assert/strict';
import { type Api, siloNamed } from '../service.ts';

const SILOS = '/v1/siloscale/devices';

/** Registers a silo whose level is low, so that it has an alert; returns its path. */
export async function registerLowSilo(api: Api, facility = 'north'): Promise<string> {
  const deviceId = `low-${crypto.randomUUID().slice(0, 8)}`;
  const path = `${SILOS}/${deviceId}`;
  const { status, text } = await api.post(SILOS, siloNamed(deviceId, facility));
  assert.equal(status, 200, text);
  for (const weight of [500, 150]) await api.post(`${path}/telemetry`, { ts: Date.now(), weight });
  return path;
}
