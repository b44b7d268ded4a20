import type { DevicePatch } from '@granary/contract/devices/devices';
import { Refusal } from '@granary/contract/errors';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { reportingTimes } from '@granary/core/alerts/monitoring';
import { configurationDocument } from '@granary/core/configuration/document';
import { changeDevice, changedFields } from '@granary/core/devices/change-device';
import { changedDeviceRecord, deviceSummary } from '@granary/core/devices/record';
import { NEVER_SEEN, type Presence } from '@granary/core/devices/status';
import { refuseWhileOperating } from '@granary/core/operations/interlocks';
import type { Sql } from '@granary/store/sql';
import { lockDevices, scheduleEvaluation } from '@granary/store/tables/alerts/alert-evaluations';
import { insertConfiguration } from '@granary/store/tables/configurations';
import {
  type DeviceFields,
  type DeviceFilter,
  findDevice,
  insertDevice,
  listDevices,
  lockDeviceRow,
  type StoredDevice,
  saveDevice,
  saveSecretHash,
} from '@granary/store/tables/devices';
import { logEvents } from '@granary/store/tables/events';
import {
  insertPresence,
  type ReportedState,
  readRejections,
  recordLinkDown,
  recordReportedState,
} from '@granary/store/tables/presence';
import { evaluateDevices } from '../alerts/evaluation.ts';
import { alertEvaluation, type Committed, committed, eventsLogged } from '../effects.ts';
import { currentOperations } from '../operations/operation-jobs.ts';

export interface NewDevice extends DeviceFields {
  readonly configuration: DeviceConfiguration;
}

export const reads = {
  find: (sql: Sql, deviceId: string) => findDevice(sql, deviceId),
  list: (sql: Sql, filter: DeviceFilter) => listDevices(sql, filter),
  rejections: (sql: Sql, deviceNo: number) => readRejections(sql, deviceNo),
};

export const writes = {
  async register(sql: Sql, device: NewDevice): Promise<Committed<StoredDevice>> {
    const deviceNo = await insertDevice(sql, device);
    if (deviceNo === undefined) {
      throw new Refusal('device_exists', `device ${device.deviceId} exists already`);
    }
    const { configuration, ...fields } = device;
    const presence: Presence = { ...NEVER_SEEN, ...reportingTimes(configuration.reporting) };
    await insertPresence(sql, deviceNo, presence);
    await insertConfiguration(sql, deviceNo, configurationDocument(configuration));
    await scheduleEvaluation(sql, [deviceNo]);
    const stored: StoredDevice = { deviceNo, version: 1, ...fields, presence };
    const atMs = device.registeredAtMs;
    const data = deviceSummary(stored, atMs);
    const registered = { type: 'device.registered', deviceNo, atMs, data } as const;
    await logEvents(sql, [registered]);
    return committed(stored, ...eventsLogged([registered]));
  },

  /** Changes what is given, with `ifVersion` only if the device still has this version. The alerts are evaluated in the same transaction. */
  async update(
    sql: Sql,
    deviceNo: number,
    patch: DevicePatch,
    nowMs: number,
    ifVersion?: number,
  ): Promise<Committed<StoredDevice>> {
    const device = await lockDeviceRow(sql, deviceNo);
    if (device === undefined) throw new Refusal('device_not_found', 'there is no such device');
    if (ifVersion !== undefined && ifVersion !== device.version) {
      throw new Refusal('stale_version', `the device is at version ${device.version}, not ${ifVersion}`);
    }
    const changed = changeDevice(device, patch);
    const fields = changedFields(device, changed);
    if (fields.length === 0) return committed(device);
    const after = { ...changed, version: device.version + 1 };
    await saveDevice(sql, after);
    const held = await lockDevices(sql, [deviceNo]);
    if (fields.includes('capacity')) refuseWhileOperating(await currentOperations(sql, [deviceNo]));
    const { events } = await evaluateDevices(sql, held, nowMs);
    const data = { ...changedDeviceRecord(after, nowMs), changed: fields };
    const updated = { type: 'device.updated', deviceNo, atMs: nowMs, data } as const;
    await logEvents(sql, [updated, ...events]);
    const { deviceId } = device;
    return committed(after, { kind: 'device_updated', deviceId }, ...eventsLogged([updated]));
  },

  /** Returns whether the device exists. */
  async replaceSecret(
    sql: Sql,
    deviceNo: number,
    secretHash: string,
    atMs: number,
  ): Promise<Committed<boolean>> {
    const deviceId = await saveSecretHash(sql, deviceNo, secretHash);
    if (deviceId === undefined) return committed(false);
    const data = { device_id: deviceId };
    const replaced = { type: 'device.credentials_replaced', deviceNo, atMs, data } as const;
    await logEvents(sql, [replaced]);
    return committed(true, { kind: 'credentials_replaced', deviceId }, ...eventsLogged([replaced]));
  },

  /** Records that the link ended, or that the device announced it. */
  async recordLinkDown(sql: Sql, deviceNo: number, atMs: number): Promise<Committed<void>> {
    if (await recordLinkDown(sql, deviceNo, atMs)) await scheduleEvaluation(sql, [deviceNo]);
    return committed(undefined, ...alertEvaluation([deviceNo]));
  },

  /** A state message also updates when the device was last seen. */
  async recordState(
    sql: Sql,
    deviceNo: number,
    state: ReportedState,
    atMs: number,
  ): Promise<Committed<void>> {
    await recordReportedState(sql, deviceNo, state, atMs);
    await scheduleEvaluation(sql, [deviceNo]);
    return committed(undefined, ...alertEvaluation([deviceNo]));
  },
};
