import type { Acknowledgement, Shelving } from '@granary/contract/alerts';
import {
  ALERT_DOCUMENT,
  type AlertState,
  acknowledgeAlert,
  shelveAlert,
  unshelveAlert,
} from '@granary/core/alerts/lifecycle';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { type DeviceOfRow, findAlertsOfFleet } from '../list-rows.ts';
import { limitsOf } from '../rights.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import type { SetAside } from '../unreadable-row.ts';
import { type AlertPage, expireAlerts, findAlert, listAlerts, saveAlerts } from './alert-rows.ts';
import { evaluateDevices, eventsOf } from './evaluation.ts';
import {
  type AlertEvaluation,
  continueObservation,
  lockDevice,
  lockDevices,
  lockDueDevices,
  type Observing,
  saveObservedSince,
} from './evaluation-rows.ts';
import {
  alertStatistics,
  expireRaises,
  openAlertsInPart,
  type RaiseRange,
  raisedAlerts,
} from './raise-rows.ts';

export interface AlertAddress {
  readonly deviceNo: number;
  readonly alertId: string;
  readonly nowMs: number;
}

export interface EvaluationReceipt {
  readonly devices: number;
  /** The number of changed alerts. */
  readonly changes: number;
  readonly setAside: readonly SetAside[];
}

export const reads = {
  find: (sql: Sql, deviceNo: number, alertId: string) => findAlert(sql, ALERT_DOCUMENT, deviceNo, alertId),
  list: (sql: Sql, page: AlertPage) => listAlerts(sql, ALERT_DOCUMENT, page),
  raised: (sql: Sql, range: RaiseRange, limit: number, isBySeverity?: boolean) =>
    raisedAlerts(sql, range, limit, isBySeverity),
  statistics: (sql: Sql, range: RaiseRange) => alertStatistics(sql, range),
  openInPart: openAlertsInPart,
};

export const expiry = keptFor('alertRetentionDays');

export const writes = {
  /** Removes a limited number of alerts that were resolved long ago and returns how many. */
  expire: longWrite(async (tx, expiry: Expiry) => {
    const raises = await expireRaises(tx.sql, expiry);
    return committed(raises + (await expireAlerts(tx.sql, expiry)));
  }),

  /** Records that the service is running from now on; silence before this time raises no alert. */
  async beginObservation(tx: Transaction, nowMs: number): Promise<Committed<void>> {
    await saveObservedSince(tx.sql, nowMs);
    return committed(undefined);
  },

  /** Does the same as `beginObservation` for several nodes: silence counts while at least one of them hears the devices. */
  async continueObservation(tx: Transaction, observing: Observing): Promise<Committed<void>> {
    await continueObservation(tx.sql, observing);
    return committed(undefined);
  },

  /** Returns the number of changed alerts. */
  async evaluate(
    tx: Transaction,
    { deviceNos, nowMs }: { deviceNos: readonly number[]; nowMs: number },
  ): Promise<Committed<EvaluationReceipt>> {
    return await evaluateHeld(tx, await lockDevices(tx.sql, deviceNos), nowMs);
  },

  /** Evaluates the devices that are due. */
  async evaluateDue(
    tx: Transaction,
    { nowMs, limit }: { nowMs: number; limit: number },
  ): Promise<Committed<EvaluationReceipt>> {
    return await evaluateHeld(tx, await lockDueDevices(tx.sql, nowMs, limit), nowMs);
  },

  /** Returns `undefined` if the device has no such alert. */
  async acknowledge(
    tx: Transaction,
    { by, ...address }: AlertAddress & { readonly by: Acknowledgement },
  ): Promise<Committed<AlertState | undefined>> {
    return await change(tx, address, (alert) => acknowledgeAlert(alert, by, address.nowMs, tx.actor));
  },

  acknowledgeMany,

  async shelve(
    tx: Transaction,
    { shelving, ...address }: AlertAddress & { readonly shelving: Shelving },
  ): Promise<Committed<AlertState | undefined>> {
    return await change(tx, address, (alert) => shelveAlert(alert, shelving, address.nowMs, tx.actor));
  },

  async unshelve(tx: Transaction, address: AlertAddress): Promise<Committed<AlertState | undefined>> {
    return await change(tx, address, unshelveAlert);
  },
};

async function evaluateHeld(
  tx: Transaction,
  held: readonly AlertEvaluation[],
  nowMs: number,
): Promise<Committed<EvaluationReceipt>> {
  const { changes, events, setAside } = await evaluateDevices(tx, held, nowMs);
  await logEvents(tx, events);
  return committed({ devices: held.length, changes, setAside }, ...eventsLogged(events));
}

/** A change by a person also changes which readings need an evaluation and when the next one is due. */
async function change(
  tx: Transaction,
  { deviceNo, alertId, nowMs }: AlertAddress,
  decide: (alert: AlertState) => AlertState,
): Promise<Committed<AlertState | undefined>> {
  const evaluation = await lockDevice(tx, deviceNo);
  const before = await findAlert(tx.sql, ALERT_DOCUMENT, deviceNo, alertId);
  if (evaluation === undefined || before === undefined) return committed(undefined);
  const after = decide(before);
  if (after === before) return committed(before);
  await saveAlerts(tx.sql, ALERT_DOCUMENT, [after]);
  const { events } = await evaluateDevices(tx, [evaluation], nowMs);
  const logged = [...eventsOf({ before, after }, nowMs), ...events];
  await logEvents(tx, logged);
  return committed(
    (await findAlert(tx.sql, ALERT_DOCUMENT, deviceNo, alertId)) ?? after,
    ...eventsLogged(logged),
  );
}

interface AcknowledgementOfMany {
  readonly alertIds: readonly string[];
  readonly by: Acknowledgement;
  readonly nowMs: number;
}

interface AcknowledgedAlert extends DeviceOfRow {
  readonly alert: AlertState;
}

/** Answers the alerts that exist and that the limits allow. Their devices are locked together, in the order of their numbers. */
async function acknowledgeMany(
  tx: Transaction,
  { alertIds, by, nowMs }: AcknowledgementOfMany,
): Promise<Committed<AcknowledgedAlert[]>> {
  const read = async () =>
    (await findAlertsOfFleet(tx.sql, ALERT_DOCUMENT, alertIds, await limitsOf(tx))).map(
      ({ state, id: _, ...device }): AcknowledgedAlert => ({ ...device, alert: state }),
    );
  const wanted = new Set((await read()).map(({ alert }) => alert.deviceNo));
  const held = await lockDevices(tx.sql, [...wanted]);
  const isHeld = new Set(held.map(({ deviceNo }) => deviceNo));
  // Read again, because another caller may have changed them before they were locked.
  const found = (await read()).filter(({ alert }) => isHeld.has(alert.deviceNo));
  const changes = found.flatMap(({ alert: before }) => {
    const after = acknowledgeAlert(before, by, nowMs, tx.actor);
    return after === before ? [] : [{ before, after }];
  });
  if (changes.length === 0) return committed(found);
  await saveAlerts(
    tx.sql,
    ALERT_DOCUMENT,
    changes.map(({ after }) => after),
  );
  const changed = new Set(changes.map(({ after }) => after.deviceNo));
  const { events } = await evaluateDevices(
    tx,
    held.filter(({ deviceNo }) => changed.has(deviceNo)),
    nowMs,
  );
  const logged = [...changes.flatMap((change) => eventsOf(change, nowMs)), ...events];
  await logEvents(tx, logged);
  return committed(await read(), ...eventsLogged(logged));
}
