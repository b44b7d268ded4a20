import type { DevicePatch, MaintenanceRequest } from '@granary/contract/devices/devices';
import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import { changeDevice, changedFields, refuseForeignMove } from '@granary/core/devices/change-device';
import { changeMaintenance } from '@granary/core/devices/maintenance';
import { deviceSummary, maintainedDeviceRecord } from '@granary/core/fleet/record';
import {
  PURGE_DELAY_MS,
  purgeRecord,
  refuseBusyRemoval,
  refuseRemoved,
  refuseRestoration,
  tellsOnlyOf,
} from '@granary/core/fleet/removal';
import { MISSIONS_AHEAD_MAX } from '@granary/core/missions/planning/plan';
import { NOTIFICATION_DOCUMENT } from '@granary/core/notifications/record';
import { refuseWhileOperating } from '@granary/core/operations/interlocks';
import { DUPLICATE_DOCUMENT, type Duplicate } from '@granary/core/reception/duplicate';
import { RECEPTION_DOCUMENT } from '@granary/core/reception/reception';
import type { Sql } from '@granary/store/sql';
import { evaluateDevices } from '../alerts/evaluation.ts';
import { lockDevices, saveRestoredAt, scheduleEvaluation } from '../alerts/evaluation-rows.ts';
import { unfinishedCommands } from '../commands/command-rows.ts';
import {
  type DeviceFilter,
  findDevice,
  findKnownDevices,
  listDevices,
  listKnownDevices,
  lockDeviceRow,
  type StoredDevice,
  saveDevice,
  saveMaintenance,
  saveRemoval,
  saveRestoration,
  saveSecretHash,
} from '../device-rows.ts';
import { alertEvaluation, type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { readableOrNull, readHealth, saveDuplicate } from '../health-rows.ts';
import { missionsNotEnded } from '../missions/mission-rows.ts';
import { currentOperations } from '../operations/operation-rows.ts';
import { type ReportedState, readRejections, recordLinkDown, recordReportedState } from '../presence-rows.ts';
import { limitsOf, refuseOutside } from '../rights.ts';
import type { Transaction } from '../transaction.ts';
import {
  beginPurge,
  freeDeviceId,
  isPurgeWaiting,
  lockNextPurge,
  type PurgedRange,
  type PurgeStep,
  purgeAlerts,
  purgeBucketChunks,
  purgeBuckets,
  purgeNotifications,
  purgeNumbered,
  purgeReadingChunks,
  purgeReadings,
  purgeRemainingRows,
  purgeTracks,
  type RunningPurge,
  savePurge,
} from './purge-rows.ts';
import { deviceUpdated, insertRegisteredDevices, type NewDevice } from './register-device.ts';

export const reads = {
  find: (sql: Sql, deviceId: string) => findDevice(sql, deviceId),
  known: listKnownDevices,
  knownById: findKnownDevices,
  list: (sql: Sql, filter: DeviceFilter) => listDevices(sql, filter),
  rejections: (sql: Sql, deviceNo: number) => readRejections(sql, deviceNo),
  /** Returns how the messages of the device are received; `null` if everything is as it should be. */
  reception: async (sql: Sql, deviceNo: number) =>
    readableOrNull(RECEPTION_DOCUMENT, (await readHealth(sql, deviceNo)).reception),
  isPurgeDue: (sql: Sql, nowMs: number) => isPurgeWaiting(sql, nowMs - PURGE_DELAY_MS),
};

export const writes = {
  async register(tx: Transaction, device: NewDevice): Promise<Committed<StoredDevice>> {
    const { stored, registered } = await insertRegisteredDevices(tx, [device]);
    await logEvents(tx, registered);
    const [one] = stored;
    if (one === undefined) throw new Error('a registered device is missing');
    return committed(one, ...eventsLogged(registered));
  },

  /** Applies the given changes, if the device still has this version. The alerts are evaluated in the same transaction. */
  async update(
    tx: Transaction,
    deviceNo: number,
    patch: DevicePatch,
    nowMs: number,
    ifVersion?: number,
  ): Promise<Committed<StoredDevice>> {
    const device = await lockDeviceRow(tx, deviceNo);
    if (device === undefined) throw new Refusal('device_not_found', 'the device does not exist any more');
    refuseRemoved(device);
    if (ifVersion !== undefined && ifVersion !== device.version) {
      throw new Refusal(
        'stale_version',
        sentence('device_changed', { current: device.version, given: ifVersion }),
      );
    }
    const changed = changeDevice(device, patch);
    refuseForeignMove(await limitsOf(tx), device, changed.facility);
    const fields = changedFields(device, changed);
    if (fields.length === 0) return committed(device);
    const after = { ...changed, version: device.version + 1 };
    await saveDevice(tx.sql, after, fields);
    const held = await lockDevices(tx.sql, [deviceNo]);
    if (fields.includes('capacity')) refuseWhileOperating(await currentOperations(tx.sql, [deviceNo]));
    const { events } = await evaluateDevices(tx, held, nowMs);
    const updated = deviceUpdated(after, fields, nowMs);
    await logEvents(tx, [updated, ...events]);
    const { deviceId } = device;
    return committed(after, { kind: 'device_updated', deviceId }, ...eventsLogged([updated]));
  },

  /** Begins or ends the maintenance that a person declares; the status is published in the same transaction. */
  async maintain(
    tx: Transaction,
    deviceNo: number,
    request: MaintenanceRequest,
    nowMs: number,
  ): Promise<Committed<StoredDevice>> {
    const device = await lockDeviceRow(tx, deviceNo);
    if (device === undefined) throw new Refusal('device_not_found', 'the device does not exist any more');
    refuseRemoved(device);
    const maintenance = changeMaintenance(device.presence.maintenance, request, tx.actor, nowMs);
    if (maintenance === device.presence.maintenance) return committed(device);
    await saveMaintenance(tx.sql, deviceNo, maintenance);
    const after = { ...device, presence: { ...device.presence, maintenance } };
    const { events } = await evaluateDevices(tx, await lockDevices(tx.sql, [deviceNo]), nowMs);
    const data = maintainedDeviceRecord(after, nowMs);
    const changed = { type: 'device.maintenance_changed', deviceNo, atMs: nowMs, data } as const;
    await logEvents(tx, [changed, ...events]);
    return committed(after, ...eventsLogged([changed]));
  },

  /**
   * Removes a device on which nothing runs. Its open alerts are resolved, and it is no longer evaluated. With `purges`, a
   * worker then removes its records; this is possible also for a device that was removed before.
   */
  async remove(
    tx: Transaction,
    deviceNo: number,
    nowMs: number,
    purges = false,
  ): Promise<Committed<StoredDevice>> {
    const found = await lockDeviceRow(tx, deviceNo);
    if (found === undefined) throw new Refusal('device_not_found', 'the device does not exist any more');
    const device = purges ? await withPurge(tx.sql, found, nowMs) : found;
    if (device.removedAtMs !== null) return committed(device);
    const held = await lockDevices(tx.sql, [deviceNo]);
    refuseBusyRemoval({
      operations: await currentOperations(tx.sql, [deviceNo]),
      commands: await unfinishedCommands(tx.sql, [deviceNo]),
      missions: await missionsNotEnded(tx.sql, deviceNo, MISSIONS_AHEAD_MAX),
    });
    await saveRemoval(tx.sql, deviceNo, nowMs);
    const after = { ...device, removedAtMs: nowMs };
    const { events } = await evaluateDevices(tx, held, nowMs);
    const data = deviceSummary(after, nowMs);
    const removed = { type: 'device.removed', deviceNo, atMs: nowMs, data } as const;
    await logEvents(tx, [...events, removed]);
    return committed(after, ...eventsLogged([removed]));
  },

  /** Restores a removed device with all stored data; only its secret is new. */
  async restore(
    tx: Transaction,
    deviceNo: number,
    secretHash: string,
    nowMs: number,
  ): Promise<Committed<StoredDevice>> {
    const device = await lockDeviceRow(tx, deviceNo);
    if (device === undefined) throw new Refusal('device_not_found', 'there is no such device');
    refuseRestoration(device);
    await saveRestoration(tx.sql, deviceNo, secretHash);
    await saveRestoredAt(tx.sql, deviceNo, nowMs);
    const after = { ...device, removedAtMs: null, secretHash };
    const { events } = await evaluateDevices(tx, await lockDevices(tx.sql, [deviceNo]), nowMs);
    const data = deviceSummary(after, nowMs);
    const restored = { type: 'device.restored', deviceNo, atMs: nowMs, data } as const;
    await logEvents(tx, [restored, ...events]);
    const { deviceId } = device;
    return committed(after, { kind: 'credentials_replaced', deviceId }, ...eventsLogged([restored]));
  },

  /** Removes a limited number of rows of one device that is being purged; returns whether there was one. */
  async purgeStep(
    tx: Transaction,
    { nowMs, rowsMax }: { readonly nowMs: number; readonly rowsMax: number },
  ): Promise<Committed<boolean>> {
    const purge = await lockNextPurge(tx.sql, nowMs - PURGE_DELAY_MS);
    if (purge === undefined) return committed(false);
    const { deviceNo, deviceId, stage, position } = purge;
    const removeRows = PURGE_STAGES[stage];
    if (removeRows === undefined) return await finishPurge(tx, purge, nowMs);
    const { rows, next } = await removeRows(tx.sql, { deviceNo, deviceId, from: position, rowsMax });
    const rowsRemoved = purge.rowsRemoved + rows;
    const place = next === null ? { stage: stage + 1, position: 0 } : { stage, position: next };
    await savePurge(tx.sql, { ...purge, ...place, rowsRemoved });
    return committed(true);
  },

  /** Returns whether the device exists. */
  async replaceSecret(
    tx: Transaction,
    deviceNo: number,
    secretHash: string,
    atMs: number,
  ): Promise<Committed<boolean>> {
    const deviceId = await saveSecretHash(tx.sql, deviceNo, secretHash);
    if (deviceId === undefined) return committed(false);
    await refuseOutside(tx, deviceNo);
    const data = { device_id: deviceId };
    const replaced = { type: 'device.credentials_replaced', deviceNo, atMs, data } as const;
    await logEvents(tx, [replaced]);
    return committed(true, { kind: 'credentials_replaced', deviceId }, ...eventsLogged([replaced]));
  },

  /** Records that the link ended, or that the device announced its end. */
  async recordLinkDown(tx: Transaction, deviceNo: number, atMs: number): Promise<Committed<void>> {
    if (await recordLinkDown(tx.sql, deviceNo, atMs)) await scheduleEvaluation(tx.sql, [{ deviceNo, atMs }]);
    return committed(undefined, ...alertEvaluation([deviceNo]));
  },

  /** Records that two clients log in with the id of this device. */
  async recordDuplicate(tx: Transaction, deviceNo: number, duplicate: Duplicate): Promise<Committed<void>> {
    await saveDuplicate(tx.sql, DUPLICATE_DOCUMENT, deviceNo, duplicate);
    await scheduleEvaluation(tx.sql, [{ deviceNo, atMs: duplicate.lastAtMs }]);
    return committed(undefined, ...alertEvaluation([deviceNo]));
  },

  /** A state message also updates when the device was last seen. */
  async recordState(
    tx: Transaction,
    deviceNo: number,
    state: ReportedState,
    atMs: number,
  ): Promise<Committed<void>> {
    await recordReportedState(tx.sql, deviceNo, state, atMs);
    await scheduleEvaluation(tx.sql, [{ deviceNo, atMs }]);
    return committed(undefined, ...alertEvaluation([deviceNo]));
  },
};

/** Begins the purge; a repeated request changes nothing. */
async function withPurge(sql: Sql, device: StoredDevice, nowMs: number): Promise<StoredDevice> {
  if (device.purge !== undefined) return device;
  await beginPurge(sql, device.deviceNo, nowMs);
  return { ...device, purge: { startedAtMs: nowMs, rowsRemoved: 0 } };
}

/** Ends the purge: with the same commit the device is no longer found, and its id is free. */
async function finishPurge(tx: Transaction, purge: RunningPurge, nowMs: number): Promise<Committed<boolean>> {
  const { deviceNo, deviceId } = purge;
  await freeDeviceId(tx.sql, purge);
  const rowsRemoved = purge.rowsRemoved + (await purgeRemainingRows(tx, deviceNo));
  const data = { device_id: deviceId, purge: purgeRecord({ ...purge, rowsRemoved }, 'done') };
  const purged = { type: 'device.purged', deviceNo, atMs: nowMs, data } as const;
  await logEvents(tx, [purged]);
  return committed(true, { kind: 'device_updated', deviceId }, ...eventsLogged([purged]));
}

interface StageRange extends PurgedRange {
  readonly deviceId: string;
}

type PurgeStage = (sql: Sql, range: StageRange) => Promise<PurgeStep>;

/** The stages in their order. A stored purge continues by the number of its stage, so a new stage is added at the end. */
const PURGE_STAGES: readonly PurgeStage[] = [
  purgeReadings,
  (sql, range) => purgeBuckets(sql, INTERVAL_MS['5m'], range),
  (sql, range) => purgeBuckets(sql, INTERVAL_MS['1h'], range),
  (sql, range) => purgeBuckets(sql, INTERVAL_MS['1d'], range),
  purgeTracks,
  purgeAlerts,
  (sql, range) => purgeNumbered(sql, 'operations', range),
  (sql, range) => purgeNumbered(sql, 'commands', range),
  (sql, range) => purgeNumbered(sql, 'missions', range),
  (sql, range) => purgeNumbered(sql, 'rejections', range),
  (sql, range) => purgeNotifications(sql, range, (body) => tellsOnlyOfDevice(range.deviceId, body)),
  purgeReadingChunks,
  (sql, range) => purgeNumbered(sql, 'refills', range),
  (sql, range) => purgeNumbered(sql, 'findings', range),
  (sql, range) => purgeNumbered(sql, 'notes', range),
  (sql, range) => purgeNumbered(sql, 'alert_raises', range),
  (sql, range) => purgeBucketChunks(sql, INTERVAL_MS['5m'], range),
  (sql, range) => purgeBucketChunks(sql, INTERVAL_MS['1h'], range),
  (sql, range) => purgeNumbered(sql, 'proposals', range),
];

/** A message that cannot be read is not removed here, but by its own retention. */
function tellsOnlyOfDevice(deviceId: string, body: string): boolean {
  try {
    return tellsOnlyOf(deviceId, NOTIFICATION_DOCUMENT.read(body));
  } catch {
    return false;
  }
}
