import assert from 'node:assert/strict';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import type { Api } from './service.ts';

/** The present of tests about forecasts; the next value is the number of days before it for which a silo has weights. */
export const FORECAST_NOW_MS = Date.UTC(2026, 4, 20, 10, 7);
export const WEIGHED_DAYS = 29;
export const SILO_KG = 20_000;
export const USE_KG = 700;
export const REFILL_KG = 7_000;
export const SILO_DEVICES = '/v1/siloscale/devices';

const STEP_MS = 5 * MINUTE_MS;
const READINGS_PER_MESSAGE = 1_000;

export const siloOf = (deviceId: string, facility: string, capacityKg = SILO_KG) => ({
  device_id: deviceId,
  name: deviceId,
  model: 'S',
  location: { facility, zone: 'yard' },
  capacity: { max: capacityKg, unit: 'kg' },
});

/** The level of a silo that is used between 6:00 and 18:00 UTC and refilled every ten days. */
export function levelAt(ms: number): number {
  const startMs = FORECAST_NOW_MS - WEIGHED_DAYS * DAY_MS;
  const usedOf = (timeMs: number): number => {
    const day = Math.floor(timeMs / DAY_MS);
    const hour = (timeMs - day * DAY_MS) / HOUR_MS;
    return USE_KG * (day + Math.min(1, Math.max(0, (hour - 6) / 12)));
  };
  const refills = Math.floor((ms - startMs) / (10 * DAY_MS));
  const noise = ((ms / MINUTE_MS) % 7) - 3;
  return 12_000 - usedOf(ms) + usedOf(startMs) + refills * REFILL_KG + noise;
}

/** A weight every five minutes, after the first time and up to the second one. */
export const weights = (fromMs: number, toMs: number) =>
  Array.from({ length: Math.floor((toMs - fromMs) / STEP_MS) }, (_, index) => {
    const ts = fromMs + (index + 1) * STEP_MS;
    return { ts, weight: Math.round(levelAt(ts)), temperature: 15, humidity: 60 };
  });

/** Sends the readings in as many messages as are needed. */
export async function sendWeights(api: Api, deviceId: string, readings: readonly object[]): Promise<void> {
  for (let at = 0; at < readings.length; at += READINGS_PER_MESSAGE) {
    const part = readings.slice(at, at + READINGS_PER_MESSAGE);
    const { status } = await api.post(`${SILO_DEVICES}/${deviceId}/telemetry`, part);
    assert.equal(status, 200);
  }
}
