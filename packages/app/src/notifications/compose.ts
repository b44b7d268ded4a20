import { ALERT_DOCUMENT, type AlertState } from '@granary/core/alerts/lifecycle';
import { alertRecord } from '@granary/core/alerts/record';
import { canAccess, type Limits, type Place, UNLIMITED } from '@granary/core/keys';
import {
  type AlertColumns,
  type Dispatch,
  type DueNotice,
  dispatch,
  type FloodWindows,
  quietUntil,
  windowNameOf,
} from '@granary/core/notifications/dispatch';
import {
  type MessageContext,
  messageOf,
  type Readers,
  type ToldAlert,
} from '@granary/core/notifications/message';
import { NOTICE_DOCUMENT, told, toldAgain } from '@granary/core/notifications/notice';
import type { StoredNotification } from '@granary/core/notifications/record';
import { type StoredRule, targetsOf } from '@granary/core/notifications/rule';
import type { Sql } from '@granary/store/sql';
import { alertColumns } from '../alerts/alert-rows.ts';
import { zonesOfDevices } from '../configuration/configuration-rows.ts';
import { findDevices, type StoredDevice } from '../device-rows.ts';
import { findAlertsOfFleet } from '../list-rows.ts';
import type { OnUnreadable } from '../unreadable-row.ts';
import { dueNotices, removeNotices, type StoredNotice, saveNotices } from './notice-rows.ts';
import { type RuleWithWindows, saveWindows } from './rule-rows.ts';
import { writeNotifications } from './write-notifications.ts';

/** The limit of the notices in one transaction, and in one summary. */
const NOTICES_PER_CALL_MAX = 250;

interface ComposeRequest extends Readers {
  readonly rules: readonly RuleWithWindows[];
  /** The limits of the people who have rules of their own. */
  readonly limits: LimitsOfOwners;
  readonly nowMs: number;
}

/** The keys are the ids of people who receive Web Push. */
export type LimitsOfOwners = ReadonlyMap<string, Limits>;

/** A rule of the site is about every device; a rule of a person is about the devices that this person may see. */
export const isSeen = (
  { ownerId }: Pick<StoredRule, 'ownerId'>,
  place: Place,
  limits: LimitsOfOwners,
): boolean => ownerId === null || canAccess(limits.get(ownerId) ?? [], place);

interface Composed {
  readonly written: readonly StoredNotification[];
  /** True if more notices may be due. */
  readonly hasMore: boolean;
}

interface Facts {
  readonly alerts: ReadonlyMap<string, AlertState>;
  readonly columns: ReadonlyMap<string, AlertColumns>;
  readonly devices: ReadonlyMap<number, StoredDevice>;
  /** The time zone of the site of each device, by device number. */
  readonly zones: ReadonlyMap<number, string>;
  readonly zoneOfService: string;
}

/** Turns the notices that are due into messages, or holds them back. */
export async function composeDue(
  sql: Sql,
  { rules, ...sending }: ComposeRequest,
  onUnreadable: OnUnreadable,
): Promise<Composed> {
  const due = await dueNotices(
    sql,
    NOTICE_DOCUMENT,
    { nowMs: sending.nowMs, limit: NOTICES_PER_CALL_MAX },
    onUnreadable,
  );
  const written: StoredNotification[] = [];
  if (due.length === 0) return { written, hasMore: false };
  const facts = await readFacts(sql, due, sending.timeZone);
  const dueOf = Map.groupBy(due, ({ ruleId }) => ruleId);
  for (const rule of rules) {
    const ofRule = dueOf.get(rule.ruleId) ?? [];
    dueOf.delete(rule.ruleId);
    if (ofRule.length > 0) {
      written.push(...(await composeOfRule(sql, rule, ofRule, facts, sending)));
    }
  }
  // The rules of these notices were removed, or cannot be read.
  await removeNotices(sql, [...dueOf.values()].flat());
  return { written, hasMore: due.length === NOTICES_PER_CALL_MAX };
}

async function readFacts(sql: Sql, due: readonly StoredNotice[], zoneOfService: string): Promise<Facts> {
  const alertIds = [...new Set(due.map(({ alertId }) => alertId))];
  const alerts = await findAlertsOfFleet(sql, ALERT_DOCUMENT, alertIds, UNLIMITED);
  const deviceNos = [...new Set(alerts.map(({ state }) => state.deviceNo))];
  const devices = await findDevices(sql, deviceNos);
  return {
    columns: await alertColumns(sql, alertIds),
    alerts: new Map(alerts.map(({ id, state }) => [id, state])),
    devices: new Map(devices.map((device) => [device.deviceNo, device])),
    zones: await zonesOfDevices(sql, devices, zoneOfService),
    zoneOfService,
  };
}

async function composeOfRule(
  sql: Sql,
  rule: RuleWithWindows,
  due: readonly StoredNotice[],
  facts: Facts,
  { nowMs, limits, ...readers }: Omit<ComposeRequest, 'rules'>,
): Promise<StoredNotification[]> {
  const quiet = rule.content.quiet_hours;
  const quietUntilMs = quiet === null ? null : quietUntil(quiet, nowMs);
  let windows: FloodWindows = rule.windows;
  const single: StoredNotice[] = [];
  const together: StoredNotice[] = [];
  const after: StoredNotice[] = [];
  const removed: StoredNotice[] = [];
  for (const stored of due) {
    const { step, notice, alertId } = stored;
    const one: DueNotice = { step, notice, alert: facts.columns.get(alertId) };
    const windowName = windowNameOf(one);
    const decision: Dispatch = isSeen(rule, toldAlert(stored, facts), limits)
      ? dispatch(one, rule.content, { window: windows[windowName] ?? null, quietUntilMs, nowMs })
      : { action: 'drop' };
    if (decision.action === 'drop') {
      const kept = toldAgain(notice, notice.snapshot);
      if (kept === null) removed.push(stored);
      else after.push({ ...stored, notice: kept });
      continue;
    }
    if (decision.window !== null) windows = { ...windows, [windowName]: decision.window };
    if (decision.action === 'hold') {
      after.push({ ...stored, notice: { ...notice, dueAtMs: decision.untilMs, isHeld: true } });
      continue;
    }
    (decision.isHeld ? together : single).push(stored);
    const alert = one.alert?.status;
    const toldAt = { rule: rule.content, step, nowMs, alert: alert === 'pending' ? undefined : alert };
    after.push({ ...stored, notice: told(notice, toldAt) });
  }
  const groups = [...single.map((one) => [one]), ...Map.groupBy(together, ({ step }) => step).values()];
  const written: StoredNotification[] = [];
  for (const group of groups) {
    const step = group[0]?.step ?? 0;
    const context: MessageContext = { rule, step, ...readers, nowMs };
    const message = messageOf(
      group.map((stored) => toldAlert(stored, facts)),
      context,
    );
    written.push(...(await writeNotifications(sql, targetsOf(rule.content, step), message, context)));
  }
  await saveNotices(sql, NOTICE_DOCUMENT, after, nowMs);
  await removeNotices(sql, removed);
  if (windows !== rule.windows) await saveWindows(sql, rule.ruleId, windows);
  return written;
}

/** Returns the present alert, or the alert in the notice if it is no longer stored. */
function toldAlert(
  { alertId, notice }: StoredNotice,
  { alerts, devices, zones, zoneOfService }: Facts,
): ToldAlert {
  const { alert, deviceId, facility } = notice.snapshot;
  const state = alerts.get(alertId);
  const device = state && devices.get(state.deviceNo);
  return {
    kind: notice.kind,
    alert: (state && alertRecord(state)) ?? alert,
    deviceId: device?.deviceId ?? deviceId,
    deviceName: device?.name ?? deviceId,
    facility: device?.facility ?? facility,
    zone: device?.zone ?? '',
    timeZone: (state && zones.get(state.deviceNo)) ?? zoneOfService,
  };
}
