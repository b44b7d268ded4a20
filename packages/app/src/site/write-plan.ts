import { Refusal } from '@granary/contract/errors';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { inEnglish } from '@granary/contract/sentences/english';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { changedFields } from '@granary/core/devices/change-device';
import { operationName } from '@granary/core/operations/sentences';
import { holdsDevice } from '@granary/core/operations/state';
import { differences } from '@granary/core/site/differences';
import type { SitePlan } from '@granary/core/site/plan-site';
import type { DescribedDevice } from '@granary/core/site/site-device';
import type { Sql } from '@granary/store/sql';
import { capitalized } from '@granary/words/message';
import { evaluateDevices } from '../alerts/evaluation.ts';
import { lockDevices } from '../alerts/evaluation-rows.ts';
import { lockConfigurations } from '../configuration/configuration-rows.ts';
import { saveChangedConfiguration } from '../configuration/save-configuration.ts';
import { lockDeviceRowsById, type StoredDevice, saveDevice } from '../device-rows.ts';
import { deviceUpdated, insertRegisteredDevices, type NewDevice } from '../devices/register-device.ts';
import { type Effect, eventsLogged } from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import { saveMissionsWithoutBase } from '../missions/mission-rows.ts';
import { currentOperations } from '../operations/operation-rows.ts';
import type { Transaction } from '../transaction.ts';
import { writeRules, writeWebhooks } from './write-rules.ts';

/** A registered device with everything that a document can change. */
type KnownDevice = StoredDevice & DescribedDevice & { readonly configurationVersion: number };

/** Locks those of these devices that are registered, and returns them by id; nobody else changes them before the transaction ends. */
export async function lockKnownDevices(
  sql: Sql,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, KnownDevice>> {
  const devices = await lockDeviceRowsById(sql, deviceIds);
  const configurations = await lockConfigurations(
    sql,
    devices.map(({ deviceNo }) => deviceNo),
  );
  return new Map(
    devices.map((device) => {
      const row = configurations.get(device.deviceNo);
      if (row === undefined) throw new Error(`device ${device.deviceId} has no configuration`);
      const configuration = storedConfiguration<DeviceConfiguration>(row.body);
      return [device.deviceId, { ...device, configuration, configurationVersion: row.version }];
    }),
  );
}

/** The secrets and ids for everything in the document, because only the plan finds out what is new. */
export interface NewSecrets {
  /** The keys are device ids. */
  readonly secretHashes: Readonly<Record<string, string>>;
  /** The keys are addresses. */
  readonly webhookSecrets: Readonly<Record<string, string>>;
  /** The keys are names of rules. */
  readonly newRuleIds: Readonly<Record<string, string>>;
}

export interface PlanWriting extends NewSecrets {
  readonly newWebhookIds: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

interface Change {
  readonly before: KnownDevice;
  readonly after: DescribedDevice;
}

/** Writes a plan in the order of the locks: the rows of all devices, their configurations, the evaluation, rules, webhooks, the events. */
export async function writePlan(
  tx: Transaction,
  plan: SitePlan,
  known: ReadonlyMap<string, KnownDevice>,
  writing: PlanWriting,
): Promise<Effect[]> {
  const { devices } = plan;
  const { secretHashes, nowMs } = writing;
  const created = devices.filter(({ action }) => action === 'create').map(({ after }) => after);
  const changes = devices
    .flatMap(({ action, after }): Change[] => {
      const before = known.get(after.deviceId);
      return action === 'update' && before !== undefined ? [{ before, after }] : [];
    })
    .toSorted((one, other) => one.before.deviceNo - other.before.deviceNo);
  const { registered } = await insertRegisteredDevices(
    tx,
    created
      .toSorted((one, other) => (one.deviceId < other.deviceId ? -1 : 1))
      .map((device) => newDevice(device, secretHashes, nowMs)),
  );
  const updated: NewEvent[] = [];
  const effects: Effect[] = [];
  for (const { before, after } of changes) {
    const fields = changedFields(before, after);
    if (fields.length === 0) continue;
    const stored = { ...before, ...after, version: before.version + 1 };
    await saveDevice(tx.sql, stored, fields);
    updated.push(deviceUpdated(stored, fields, nowMs));
    effects.push({ kind: 'device_updated', deviceId: before.deviceId });
  }
  for (const { before, after } of changes) {
    if (differences(before.configuration, after.configuration).length === 0) continue;
    const { deviceNo, deviceId, configurationVersion } = before;
    const change = {
      deviceNo,
      deviceId,
      configuration: after.configuration,
      version: configurationVersion + 1,
    };
    const { changed, send } = await saveChangedConfiguration(tx, change, nowMs);
    updated.push(changed);
    effects.push(send);
  }
  const deviceNos = changes.map(({ before }) => before.deviceNo);
  const held = await lockDevices(tx.sql, deviceNos);
  await refuseNewCapacities(tx.sql, changes, devices);
  updated.push(...(await missionsWithoutBase(tx.sql, changes, devices, nowMs)));
  const { events } = await evaluateDevices(tx, held, nowMs);
  const rules = await writeRules(tx.sql, plan.notification_rules, writing);
  const webhooks = await writeWebhooks(tx.sql, plan.webhooks, writing);
  if (webhooks.length > 0) effects.push({ kind: 'webhooks_changed' });
  const logged = [...registered, ...updated, ...events, ...rules, ...webhooks];
  await logEvents(tx, logged);
  return [...effects, ...eventsLogged(logged)];
}

function newDevice(
  { removedAtMs: _, ...device }: DescribedDevice,
  secretHashes: NewSecrets['secretHashes'],
  registeredAtMs: number,
): NewDevice {
  const secretHash = secretHashes[device.deviceId];
  if (secretHash === undefined) throw new Error(`device ${device.deviceId} has no secret`);
  return { ...device, secretHash, registeredAtMs };
}

/** Refuses a new capacity while an operation is under way, because its limits were planned with the present capacity. */
async function refuseNewCapacities(
  sql: Sql,
  changes: readonly Change[],
  devices: SitePlan['devices'],
): Promise<void> {
  const resized = changes.filter(({ before, after }) => before.capacityKg !== after.capacityKg);
  if (resized.length === 0) return;
  const deviceIdOf = new Map(resized.map(({ before }) => [before.deviceNo, before.deviceId]));
  const underWay = (await currentOperations(sql, [...deviceIdOf.keys()])).filter(holdsDevice);
  const [first] = underWay;
  if (first === undefined) return;
  const details = underWay.map((operation) => ({
    path: `/devices/${devices.findIndex(({ after }) => after.deviceId === deviceIdOf.get(operation.deviceNo))}/capacity`,
    message: `cannot be changed while ${capitalized(inEnglish(operationName(operation)))} is under way`,
  }));
  throw new Refusal(
    'apply_refused',
    'the document cannot be applied, nothing was changed: an operation is under way',
    details,
  );
}

async function missionsWithoutBase(
  sql: Sql,
  changes: readonly Change[],
  devices: SitePlan['devices'],
  nowMs: number,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { before, after } of changes) {
    try {
      events.push(...(await saveMissionsWithoutBase(sql, before.deviceNo, after.configuration, nowMs)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const index = devices.findIndex((device) => device.after.deviceId === after.deviceId);
      throw missionUnderWay(`/devices/${index}/configuration/base`, error);
    }
  }
  return events;
}

const missionUnderWay = (path: string, cause: Refusal): Refusal =>
  new Refusal(
    'apply_refused',
    'the document cannot be applied, nothing was changed: a mission is under way',
    [{ path, message: cause.message }],
    { cause },
  );
