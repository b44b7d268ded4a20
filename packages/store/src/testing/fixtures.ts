import { type ErrorCode, Refusal } from '@granary/contract/errors';
import { initialConfiguration } from '@granary/core/configuration';
import type { Reading, StoredValues } from '@granary/core/telemetry';
import type { NewDevice } from '../devices.ts';
import type { Store } from '../store.ts';
import type { TelemetryBatch } from '../telemetry.ts';

export const NOW_MS = Date.UTC(2026, 5, 15, 12);

let lastDevice = 0;

/** Tests share a database, so every device gets an id of its own unless the test names one. */
export function newDevice(fields: Partial<NewDevice> = {}): NewDevice {
  return {
    deviceId: `silo-${++lastDevice}`,
    kind: 'silo',
    name: 'Silo',
    model: 'SiloScale 3000',
    firmwareVersion: '2.1.0',
    facility: 'North',
    zone: 'A',
    capacityKg: 12_500.5,
    secretHash: 'hash of a secret',
    registeredAtMs: NOW_MS,
    configuration: initialConfiguration(NOW_MS),
    ...fields,
  };
}

export async function registerDevice(store: Store, fields: Partial<NewDevice> = {}): Promise<number> {
  return (await store.devices.register(newDevice(fields))).deviceNo;
}

export const batchOf = (batch: Partial<TelemetryBatch>): TelemetryBatch => ({
  readings: [],
  seen: [],
  rejections: [],
  ...batch,
});

export const reading = (deviceNo: number, tsMs: number, values: StoredValues): Reading => ({
  deviceNo,
  tsMs,
  values,
});

export const isRefusal =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;
