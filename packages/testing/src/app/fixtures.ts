import type { App } from '@granary/app/app';
import type { NewDevice } from '@granary/app/devices/register-device';
import type { StoredEvent } from '@granary/app/events/event-rows';
import type { TickOutcome } from '@granary/app/jobs/advance-due-jobs';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import type { Mission } from '@granary/contract/missions';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import { toIso } from '@granary/contract/time';
import { initialFieldConfiguration } from '@granary/core/configuration/field-configuration';
import { initialConfiguration } from '@granary/core/configuration/silo-configuration';
import { UNLIMITED } from '@granary/core/keys';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { type NamedValues, readingOf, readingsOf } from '../core/readings.ts';
import { effectsDuring, evaluatedIn, type SentMessage, sentIn } from './recorded-effects.ts';

export const NOW_MS = Date.UTC(2026, 5, 15, 12);

let lastDevice = 0;

let lastIdNo = 0;

/** Ids sort in the order in which they were made, like those of the service. */
export const newId = (prefix: string): string => `${prefix}_${String(++lastIdNo).padStart(6, '0')}`;

/** Tests share a database, so every device gets a unique id unless the test names one. */
export function newDevice(fields: Partial<NewDevice> = {}): NewDevice {
  return {
    deviceId: `silo-${++lastDevice}`,
    profile: 'silo_scale',
    name: 'Silo',
    model: 'SiloScale 3000',
    firmwareVersion: '2.1.0',
    facility: 'North',
    zone: 'A',
    capacityKg: 12_500.5,
    secretHash: 'hash of a secret',
    registeredAtMs: NOW_MS,
    sensorDocument: null,
    labels: {},
    configuration: initialConfiguration(NOW_MS),
    ...fields,
  };
}

export const newFieldDevice = (fields: Partial<NewDevice> = {}): NewDevice =>
  newDevice({
    deviceId: `rover-${++lastDevice}`,
    profile: 'rover',
    capacityKg: null,
    configuration: initialFieldConfiguration(NOW_MS),
    ...fields,
  });

export async function registerDevice(app: App, fields: Partial<NewDevice> = {}): Promise<number> {
  return (await app.devices.register(newDevice(fields))).deviceNo;
}

/** A silo that is online and half full. */
export async function readySilo(app: App, nowMs = NOW_MS): Promise<number> {
  const deviceNo = await registerDevice(app, { capacityKg: SILO_CAPACITY_KG });
  await weigh(app, deviceNo, SILO_CAPACITY_KG / 2, nowMs);
  await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs });
  return deviceNo;
}

export const SILO_CAPACITY_KG = 10_000;

/** Stores one reading of the weight with the time of its arrival. Returns the devices whose alerts are evaluated then. */
export async function weigh(
  app: App,
  deviceNo: number,
  weightKg: number,
  nowMs: number,
): Promise<readonly number[]> {
  const readings = [reading(deviceNo, nowMs, { weight: weightKg * 1_000 })];
  return await evaluatedAfter(app, batchOf({ readings, seen: [{ deviceNo, atMs: nowMs }] }));
}

/** A field device that is online at the time, in a field at 52° N 13° E, with a full battery. */
export async function readyFieldDevice(app: App, nowMs = NOW_MS): Promise<number> {
  const { deviceNo } = await app.devices.register(newFieldDevice());
  await locate(app, deviceNo, {}, nowMs);
  await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs });
  return deviceNo;
}

/** Stores one reading of the position with the time of its arrival. Returns the devices whose alerts are evaluated then. */
export async function locate(
  app: App,
  deviceNo: number,
  { lat = 52, lng = 13, battery = 100 }: { lat?: number; lng?: number; battery?: number },
  nowMs: number,
): Promise<readonly number[]> {
  const values = {
    latitude: lat * 1e7,
    longitude: lng * 1e7,
    altitude: 40_000,
    battery_level: battery * 1_000,
  };
  const readings = readingsOf(deviceNo, nowMs, values);
  return await evaluatedAfter(app, batchOf({ readings, seen: [{ deviceNo, atMs: nowMs }] }));
}

/** A mission of two waypoints near the position of `readyFieldDevice`. */
export const missionAt = (startMs: number): Mission => ({
  mission_name: 'Rows',
  waypoints: [
    { lat: 52.0005, lng: 13, action: 'scan' },
    { lat: 52.001, lng: 13, action: 'none' },
  ],
  scheduled_start: toIso(startMs),
});

/** Stores a batch and returns the devices whose alerts are to be evaluated then. */
export async function evaluatedAfter(app: App, batch: TelemetryBatch): Promise<readonly number[]> {
  const { effects } = await effectsDuring(app, () => app.telemetry.append(batch));
  return evaluatedIn(effects);
}

interface TickOptions {
  readonly limit?: number;
  readonly isReachable?: (deviceNo: number) => boolean;
}

/** One round over the devices that are due, as the reconciler does it. Devices are reachable unless the test says otherwise. */
export async function tickDue(
  app: App,
  slice: 'operations' | 'field',
  nowMs: number,
  { limit = 1_000, isReachable = () => true }: TickOptions = {},
): Promise<TickOutcome & { readonly sends: readonly SentMessage[] }> {
  const { devices, hasMore } = await app[slice].due({ nowMs, limit });
  const toTick = devices.map(({ deviceNo }) => ({ deviceNo, isReachable: isReachable(deviceNo) }));
  const round = { nowMs, devices: toTick, hasMore, isNewSession: false };
  const { result, effects } = await effectsDuring(app, () => app[slice].tick(round));
  return { ...result, sends: sentIn(effects) };
}

/** The events of a device, oldest first. */
export async function eventsOfDevice(app: App, deviceNo: number): Promise<StoredEvent[]> {
  const devices = [...(await allDevices(app, 'silo')), ...(await allDevices(app, 'field'))];
  const deviceId = devices.find((device) => device.deviceNo === deviceNo)?.deviceId;
  const events = await app.events.after({ sequence: 0, limit: EVERYTHING });
  return events.filter((event) => event.deviceId === deviceId);
}

const EVERYTHING = 1_000_000;

const allDevices = (app: App, group: DeviceGroup) =>
  app.devices.list({ group, limits: UNLIMITED, afterDeviceId: null, limit: EVERYTHING });

export const batchOf = (batch: Partial<TelemetryBatch>): TelemetryBatch => ({
  readings: [],
  seen: [],
  rejections: [],
  ...batch,
});

export const reading = (deviceNo: number, tsMs: number, values: NamedValues) =>
  readingOf(deviceNo, tsMs, values);

/** The latest values of the standard sensors. */
export const latestOf = (app: App, deviceNo: number) =>
  app.telemetry.latest(deviceNo, Object.values(STANDARD_SENSORS));

export const isRefusal =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;
