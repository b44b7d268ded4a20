import {
  bucketMsOf,
  CHATTERING_RAISES,
  FLOOD_RAISES_MAX,
  LISTED_MAX,
  MOST_FREQUENT_MAX,
  type RaisedAlerts,
  STANDING_MS,
  TEN_MINUTES_MS,
} from '@granary/contract/alert-statistics';
import { ALERT_SEVERITIES, type AlertSeverity, type AlertType } from '@granary/contract/alerts';
import { HOUR_MS, MINUTE_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import type { OpenAlerts, RaiseStatistics } from '@granary/core/alerts/statistics';
import { type Expiry, expireRows } from '@granary/store/expiry';
import { insertRowsUnawaited } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type DeviceSelection, Parameters, selectionConditions, selectsAll } from '../conditions.ts';
import { endOfPart, type PartWanted } from '../fleet/fleet-rows.ts';

/** The alerts that became active now. */
export async function saveRaises(sql: Sql, raised: readonly AlertState[], atMs: number): Promise<void> {
  await insertRowsUnawaited(
    sql,
    { table: 'alert_raises', onConflict: 'ON CONFLICT DO NOTHING' },
    raised.map(({ deviceNo, type, rule, severity }) => ({
      atMs,
      deviceNo,
      type,
      rule: rule ?? '',
      severity: ALERT_SEVERITIES.indexOf(severity),
    })),
  );
}

export const expireRaises = (sql: Sql, expiry: Expiry): Promise<number> =>
  expireRows(sql, { table: 'alert_raises', key: 'raise_no', time: 'at_ms' }, expiry);

export interface RaiseRange {
  readonly devices: DeviceSelection;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the text of a query for the raises in a time range; it is a part of other statements. */
function raisesText(sql: Sql, { devices, fromMs, toMs }: RaiseRange, parameters: Parameters): string {
  const conditions = [
    `at_ms >= ${parameters.bind(fromMs)}`,
    `at_ms < ${parameters.bind(toMs)}`,
    ...selectionConditions(sql, devices, parameters),
  ];
  // The devices are not looked up where all are wanted: the index of the times has everything else.
  const join = selectsAll(devices) ? '' : 'JOIN devices ON devices.device_no = alert_raises.device_no';
  return `SELECT alert_raises.device_no, type, rule, severity, at_ms
    FROM alert_raises ${join} WHERE ${conditions.join(' AND ')}`;
}

interface RaisedRow {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly facility: string;
  readonly type: AlertType;
  readonly severity: number;
  readonly raised: number;
  readonly lastMs: number;
}

const severityOf = (index: number): AlertSeverity => ALERT_SEVERITIES[index] ?? 'info';

const raisedRecord = (row: RaisedRow): RaisedAlerts => ({
  device_id: row.deviceId,
  device_name: row.deviceName,
  facility: row.facility,
  type: row.type,
  severity: severityOf(row.severity),
  raised: row.raised,
  last_at: toIso(row.lastMs),
});

/** The result is grouped by device and type. The most frequent rows come first, or the most severe ones if `isBySeverity`. */
const groupedText = (rows: string, limit: string, isBySeverity = false): string =>
  `SELECT device_id, name AS device_name, facility, type, severity, raised, last_ms FROM (
     SELECT device_no, type, MAX(severity) AS severity, COUNT(*) AS raised, MAX(at_ms) AS last_ms
     FROM (${rows}) AS raises GROUP BY device_no, type) AS grouped
   JOIN devices USING (device_no) ORDER BY ${isBySeverity ? 'severity DESC, ' : ''}raised DESC, device_id, type LIMIT ${limit}`;

export async function raisedAlerts(
  sql: Sql,
  range: RaiseRange,
  limit: number,
  isBySeverity = false,
): Promise<RaisedAlerts[]> {
  const parameters = new Parameters();
  const text = groupedText(raisesText(sql, range, parameters), parameters.bind(limit), isBySeverity);
  const found = await sql.query<RaisedRow>(text, parameters.values);
  return found.map(raisedRecord);
}

/** Counts the raises that were the last of `CHATTERING_RAISES` raises within ten minutes. */
async function chatteringAlerts(sql: Sql, range: RaiseRange): Promise<RaisedAlerts[]> {
  const parameters = new Parameters();
  const rows = `SELECT device_no, type, severity, at_ms FROM (
      SELECT device_no, type, severity, at_ms,
        at_ms - LAG(at_ms, ${CHATTERING_RAISES - 1}) OVER (PARTITION BY device_no, type, rule ORDER BY at_ms) AS within_ms
      FROM (${raisesText(sql, range, parameters)}) AS chosen) AS followed
    WHERE within_ms <= ${TEN_MINUTES_MS}`;
  const found = await sql.query<RaisedRow>(groupedText(rows, parameters.bind(LISTED_MAX)), parameters.values);
  return found.map(raisedRecord);
}

interface PeriodRow {
  readonly period: number;
  readonly severity: number;
  readonly raised: number;
}

async function countPeriods(sql: Sql, range: RaiseRange): Promise<PeriodRow[]> {
  const parameters = new Parameters();
  const rows = raisesText(sql, range, parameters);
  return await sql.query<PeriodRow>(
    `SELECT at_ms / ${TEN_MINUTES_MS} AS period, severity, COUNT(*) AS raised FROM (${rows}) AS raises
     GROUP BY at_ms / ${TEN_MINUTES_MS}, severity ORDER BY period`,
    parameters.values,
  );
}

interface StandingRow extends Omit<RaisedRow, 'severity' | 'raised' | 'lastMs'> {
  readonly severity: AlertSeverity;
  readonly sinceMs: number | null;
  readonly total: number;
}

/** The statistics of some of the open alerts. */
export interface OpenAlertsPart extends OpenAlerts {
  /** The number after which the next part begins; `null` after the last part. */
  readonly next: number | null;
}

/** Reads some of the open alerts, from their own index, with the time at which each was raised last. */
export async function openAlertsInPart(
  sql: Sql,
  devices: DeviceSelection,
  part: PartWanted,
  nowMs: number,
): Promise<OpenAlertsPart> {
  const next = await endOfPart(sql, 'alert_no', "alerts WHERE status <> 'resolved' AND alert_no >", part);
  const parameters = new Parameters();
  const { bind } = parameters;
  const open = `open AS MATERIALIZED (
    SELECT device_no, type, rule, severity, status, shelved_until_ms FROM alerts
    WHERE status <> 'resolved' AND status <> 'pending'
      AND alert_no > ${bind(part.after)} AND alert_no <= ${bind(next ?? Number.MAX_SAFE_INTEGER)})`;
  const conditions = ['devices.device_no = open.device_no', ...selectionConditions(sql, devices, parameters)];
  const source = `open CROSS JOIN devices WHERE ${conditions.join(' AND ')}`;
  const [row] = await sql.query<{ readonly shelved: number }>(
    `WITH ${open} SELECT COUNT(shelved_until_ms) AS shelved FROM ${source}`,
    parameters.values,
  );
  const standing = await sql.query<StandingRow>(
    `WITH ${open}, since AS MATERIALIZED (
       SELECT device_id, name AS device_name, facility, type, severity,
         (SELECT MAX(at_ms) FROM alert_raises WHERE alert_raises.device_no = open.device_no
            AND alert_raises.type = open.type AND alert_raises.rule = open.rule) AS since_ms
       FROM ${source} AND open.status <> 'cleared')
     SELECT device_id, device_name, facility, type, severity, since_ms, COUNT(*) OVER () AS total FROM since
     WHERE COALESCE(since_ms, 0) <= ${bind(nowMs - STANDING_MS)}
     ORDER BY COALESCE(since_ms, 0), device_id, type LIMIT ${bind(LISTED_MAX)}`,
    parameters.values,
  );
  return {
    standing: {
      total: standing[0]?.total ?? 0,
      alerts: standing.map(({ deviceId, deviceName, facility, type, severity, sinceMs }) => ({
        device_id: deviceId,
        device_name: deviceName,
        facility,
        type,
        severity,
        since: toIsoOrNull(sinceMs),
      })),
    },
    shelved: row?.shelved ?? 0,
    next,
  };
}

/** All statistics of the alerts in a time range. */
export async function alertStatistics(sql: Sql, range: RaiseRange): Promise<RaiseStatistics> {
  const periods = await countPeriods(sql, range);
  const { fromMs, toMs } = range;
  const bucketMs = bucketMsOf(toMs - fromMs);
  const raisedIn = (of: readonly PeriodRow[]): number => of.reduce((sum, { raised }) => sum + raised, 0);
  const ofSeverity = (name: AlertSeverity): number =>
    raisedIn(periods.filter(({ severity }) => severityOf(severity) === name));
  const total = raisedIn(periods);
  const byPeriod = Map.groupBy(periods, ({ period }) => period);
  const byBucket = Map.groupBy(periods, ({ period }) => Math.floor((period * TEN_MINUTES_MS) / bucketMs));
  return {
    from: toIso(fromMs),
    to: toIso(toMs),
    raised: {
      total,
      info: ofSeverity('info'),
      warning: ofSeverity('warning'),
      critical: ofSeverity('critical'),
    },
    per_hour: Math.round((100 * total * HOUR_MS) / (toMs - fromMs)) / 100,
    flood_periods: [...byPeriod.values()].filter((of) => raisedIn(of) > FLOOD_RAISES_MAX).length,
    bucket_minutes: bucketMs / MINUTE_MS,
    buckets: [...byBucket].map(([bucket, of]) => ({ from: toIso(bucket * bucketMs), raised: raisedIn(of) })),
    most_frequent: await raisedAlerts(sql, range, MOST_FREQUENT_MAX),
    chattering: await chatteringAlerts(sql, range),
  };
}
