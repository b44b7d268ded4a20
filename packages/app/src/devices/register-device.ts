import { Refusal } from '@granary/contract/errors';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { toIso } from '@granary/contract/time';
import { reportingTimes } from '@granary/core/alerts/monitoring';
import { configurationDocument } from '@granary/core/configuration/versions';
import type { ChangedField } from '@granary/core/devices/change-device';
import { NEVER_SEEN, type Presence } from '@granary/core/devices/status';
import { changedDeviceRecord, deviceSummary } from '@granary/core/fleet/record';
import { wayBack } from '@granary/core/fleet/removal';
import { mayPlace } from '@granary/core/keys';
import type { Sql } from '@granary/store/sql';
import { scheduleEvaluation } from '../alerts/evaluation-rows.ts';
import { insertConfigurations, timeZoneOf } from '../configuration/configuration-rows.ts';
import { type DeviceFields, findDevice, insertDevices, type StoredDevice } from '../device-rows.ts';
import type { NewEvent } from '../events/event-rows.ts';
import { insertPresences } from '../presence-rows.ts';
import { limitsOf } from '../rights.ts';
import { makeOpenBuckets } from '../telemetry/open-bucket-rows.ts';
import type { Transaction } from '../transaction.ts';

export interface NewDevice extends DeviceFields {
  readonly configuration: DeviceConfiguration;
}

/** Inserts every row of new devices and returns them in the same order; the caller logs the events as its last step. */
export async function insertRegisteredDevices(
  tx: Transaction,
  devices: readonly NewDevice[],
): Promise<{ readonly stored: readonly StoredDevice[]; readonly registered: readonly NewEvent[] }> {
  const limits = await limitsOf(tx);
  if (!devices.every((device) => mayPlace(limits, device))) {
    throw new Refusal('forbidden', 'this API key may not register a device there');
  }
  const numbers = await insertDevices(tx.sql, devices);
  if (numbers === undefined) throw new Refusal('device_exists', await whyTaken(tx.sql, devices));
  const inserted = devices.map((device) => ({ ...device, deviceNo: numbers.get(device.deviceId) ?? 0 }));
  const stored = inserted.map(({ configuration, ...fields }): StoredDevice => {
    const presence: Presence = { ...NEVER_SEEN, ...reportingTimes(configuration.reporting) };
    return { version: 1, removedAtMs: null, ...fields, presence };
  });
  await insertPresences(
    tx.sql,
    stored.map(({ deviceNo, presence }) => ({ deviceNo, ...presence })),
  );
  await makeOpenBuckets(tx.sql, stored);
  const due = inserted.map(({ deviceNo, registeredAtMs: atMs }) => ({ deviceNo, atMs }));
  await insertConfigurations(
    tx,
    inserted.map(({ deviceNo, registeredAtMs: atMs, configuration }) => ({
      deviceNo,
      atMs,
      timeZone: timeZoneOf(configuration),
      body: configurationDocument(configuration),
    })),
  );
  await scheduleEvaluation(tx.sql, due);
  const registered = stored.map((device): NewEvent => {
    const { deviceNo, registeredAtMs: atMs } = device;
    return { type: 'device.registered', deviceNo, atMs, data: deviceSummary(device, atMs) };
  });
  return { stored, registered };
}

export const deviceUpdated = (
  device: StoredDevice,
  changed: readonly ChangedField[],
  nowMs: number,
): NewEvent => ({
  type: 'device.updated',
  deviceNo: device.deviceNo,
  atMs: nowMs,
  data: { ...changedDeviceRecord(device, nowMs), changed },
});

async function whyTaken(sql: Sql, [first, ...others]: readonly NewDevice[]): Promise<string> {
  if (first === undefined || others.length > 0)
    return 'another device was registered with one of the ids meanwhile';
  const taken = await findDevice(sql, first.deviceId);
  if (taken === undefined || taken.removedAtMs === null) return `device ${first.deviceId} exists already`;
  return `device ${first.deviceId} was removed at ${toIso(taken.removedAtMs)} and still has its records; ${wayBack(taken)}`;
}
