import type { EventType } from '@granary/contract/events';
import { SECOND_MS } from '@granary/contract/time';
import type { AlertChange } from '@granary/core/alert-evaluation';
import { type AlertState, alertEvents, alertRecord } from '@granary/core/alerts';
import { deviceStatus } from '@granary/core/devices';
import { openAlerts, removeAlert, saveAlerts } from './alert-rows.ts';
import type { NewEvent } from './events.ts';
import { deviceSummary } from './records.ts';
import type { Sql } from './sql.ts';
import { readWatchedDevices, type WatchedDevice } from './watched-devices.ts';
import { isSameBand, saveWatches, type Watch } from './watches.ts';

/**
 * A batch that is committed beside an evaluation has looked at the band of before. Looking once more soon after a band
 * has changed catches what it missed.
 */
const LOOK_AGAIN_MS = SECOND_MS;

export interface Evaluation {
  readonly changes: number;
  /** To be logged by the write, last of all. */
  readonly events: readonly NewEvent[];
}

/** Brings the alerts of devices that are held into line with what is stored. Doing it twice changes nothing more. */
export async function evaluateDevices(sql: Sql, held: readonly Watch[], nowMs: number): Promise<Evaluation> {
  if (held.length === 0) return { changes: 0, events: [] };
  const deviceNos = held.map(({ deviceNo }) => deviceNo);
  const watched = await readWatchedDevices(sql, deviceNos);
  const subjects = new Map(watched.map((subject) => [subject.device.deviceNo, subject]));
  const open = Map.groupBy(await openAlerts(sql, deviceNos), ({ deviceNo }) => deviceNo);
  const changes: AlertChange[] = [];
  const events: NewEvent[] = [];
  const watches: Watch[] = [];
  for (const before of held) {
    const subject = subjects.get(before.deviceNo);
    if (subject === undefined) continue;
    const alerts = open.get(before.deviceNo) ?? [];
    const ofDevice = subject.changes(alerts, nowMs);
    const watch = watchAfter(before, subject, applied(alerts, ofDevice), nowMs);
    if (watch.toldStatus !== before.toldStatus) {
      const data = deviceSummary(subject.device, nowMs);
      events.push({ type: 'device.status_changed', deviceNo: before.deviceNo, atMs: nowMs, data });
    }
    if (!isSame(watch, before)) watches.push(watch);
    events.push(...ofDevice.flatMap((change) => eventsOf(change, nowMs)));
    changes.push(...ofDevice);
  }
  await saveChanges(sql, changes);
  await saveWatches(sql, watches);
  return { changes: changes.length, events };
}

/** The open alerts as the changes leave them. */
function applied(open: readonly AlertState[], changes: readonly AlertChange[]): AlertState[] {
  const replaced = new Set(changes.map(({ before }) => before));
  return [
    ...open.filter((alert) => !replaced.has(alert)),
    ...changes.flatMap(({ after }) => (after === null || after.status === 'resolved' ? [] : [after])),
  ];
}

function watchAfter(
  before: Watch,
  subject: WatchedDevice,
  open: readonly AlertState[],
  nowMs: number,
): Watch {
  const toldStatus = deviceStatus(subject.device.presence, nowMs);
  // Whatever an offline device sends brings it back, which the log has to tell.
  const band = toldStatus === 'offline' ? null : subject.quietBand(open);
  const nextMs = subject.nextCheckAtMs(open, nowMs) ?? Number.POSITIVE_INFINITY;
  const againMs = isSameBand(band, before.quietBand) ? Number.POSITIVE_INFINITY : nowMs + LOOK_AGAIN_MS;
  const checkAtMs = Math.min(nextMs, againMs);
  return {
    deviceNo: before.deviceNo,
    quietBand: band,
    checkAtMs: Number.isFinite(checkAtMs) ? checkAtMs : null,
    toldStatus,
  };
}

const isSame = (a: Watch, b: Watch): boolean =>
  a.checkAtMs === b.checkAtMs && a.toldStatus === b.toldStatus && isSameBand(a.quietBand, b.quietBand);

async function saveChanges(sql: Sql, changes: readonly AlertChange[]): Promise<void> {
  for (const { before, after } of changes) {
    if (before !== null && after === null) await removeAlert(sql, before.alertId);
  }
  await saveAlerts(
    sql,
    changes.flatMap(({ after }) => after ?? []),
  );
}

export function eventsOf({ before, after }: AlertChange, atMs: number): NewEvent[] {
  const data = after === null ? null : alertRecord(after);
  if (after === null || data === null) return [];
  return alertEvents(before, after).map((type: EventType) => ({
    type,
    deviceNo: after.deviceNo,
    atMs,
    data,
  }));
}
