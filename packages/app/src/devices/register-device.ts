import { Refusal } from '@granary/contract/errors';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { toIso } from '@granary/contract/time';
import { reportingTimes } from '@granary/core/alerts/monitoring';
import { configurationDocument } from '@granary/core/configuration/versions';
import type { ChangedField } from '@granary/core/devices/change-device';
import { NEVER_SEEN, type Presence } from '@granary/core/devices/status';
import { changedDeviceRecord, deviceSummary } from '@granary/core/fleet/record';
import { wayBack } from '@granary/core/fleet/removal';
import type { Sql } from '@granary/store/sql';
import { scheduleEvaluation } from '../alerts/evaluation-rows.ts';
import { insertConfiguration } from '../configuration/configuration-rows.ts';
import { saveVersion } from '../configuration/save-configuration.ts';
import { type DeviceFields, findDevice, insertDevice, type StoredDevice } from '../device-rows.ts';
import type { NewEvent } from '../events/event-rows.ts';
import { insertPresence } from '../presence-rows.ts';
import type { Transaction } from '../transaction.ts';

export interface NewDevice extends DeviceFields {
  readonly configuration: DeviceConfiguration;
}

/** Inserts every row of a new device; the caller logs the event as its last step. */
export async function insertRegisteredDevice(
  tx: Transaction,
  device: NewDevice,
): Promise<{ readonly stored: StoredDevice; readonly registered: NewEvent }> {
  const deviceNo = await insertDevice(tx.sql, device);
  if (deviceNo === undefined) {
    throw new Refusal('device_exists', await whyTaken(tx.sql, device.deviceId));
  }
  const { configuration, ...fields } = device;
  const presence: Presence = { ...NEVER_SEEN, ...reportingTimes(configuration.reporting) };
  await insertPresence(tx.sql, deviceNo, presence);
  const body = configurationDocument(configuration);
  await insertConfiguration(tx.sql, deviceNo, body);
  await saveVersion(tx, deviceNo, { version: 1, atMs: device.registeredAtMs, body });
  await scheduleEvaluation(tx.sql, [{ deviceNo, atMs: device.registeredAtMs }]);
  const stored: StoredDevice = { deviceNo, version: 1, removedAtMs: null, ...fields, presence };
  const atMs = device.registeredAtMs;
  const data = deviceSummary(stored, atMs);
  return { stored, registered: { type: 'device.registered', deviceNo, atMs, data } };
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

async function whyTaken(sql: Sql, deviceId: string): Promise<string> {
  const taken = await findDevice(sql, deviceId);
  if (taken === undefined || taken.removedAtMs === null) return `device ${deviceId} exists already`;
  return `device ${deviceId} was removed at ${toIso(taken.removedAtMs)} and still has its records; ${wayBack(taken)}`;
}
