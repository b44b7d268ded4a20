import type { AlertFilter, AlertSeverity, AlertType } from '@granary/contract/alerts';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import type { DocumentKind } from '@granary/core/documents';
import type { Sql } from '../../sql.ts';
import { shownAlerts } from '../alerts/alerts.ts';
import type { DeviceJob, JobKind } from '../jobs.ts';
import { type FleetRow, type Listed, listNewest, readable } from './newest-rows.ts';
import { type AccessLimits, type DeviceSelection, limitConditions, Parameters } from './place.ts';

interface ListPage {
  readonly devices: DeviceSelection;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface FleetAlertPage extends ListPage {
  readonly filter: AlertFilter;
  readonly severity: AlertSeverity | null;
  readonly type: AlertType | null;
}

export interface FleetJobPage extends ListPage {
  readonly status: string | null;
}

export async function listAlertsOfFleet(
  sql: Sql,
  document: DocumentKind<AlertState>,
  { filter, severity, type, ...page }: FleetAlertPage,
): Promise<Listed<AlertState>[]> {
  const isOfFewRows = filter !== 'all' && filter !== 'resolved';
  // An expression, because the index of a severity or type has all resolved alerts too.
  const column = (name: string) => (isOfFewRows ? `(${name} || '')` : name);
  const query = {
    ...page,
    isOfFewRows,
    table: 'alerts',
    numberColumn: 'alert_no',
    idColumn: 'alert_id',
    rowConditions: (row: string, { bind }: Parameters) => {
      const conditions = shownAlerts(filter, bind).map((condition) => `${row}.${condition}`);
      if (severity !== null) conditions.push(`${column(`${row}.severity`)} = ${bind(severity)}`);
      if (type !== null) conditions.push(`${column(`${row}.type`)} = ${bind(type)}`);
      return conditions;
    },
  };
  return await listNewest(sql, query, (body) => document.read(body));
}

export async function listJobsOfFleet<Job extends DeviceJob>(
  sql: Sql,
  { name, document }: JobKind<Job>,
  { status, ...page }: FleetJobPage,
): Promise<Listed<Job>[]> {
  const query = {
    ...page,
    table: `${name}s`,
    numberColumn: `${name}_no`,
    idColumn: `${name}_id`,
    isOfFewRows: false,
    rowConditions: (row: string, { bind }: Parameters) =>
      status === null ? [] : [`${row}.status = ${bind(status)}`],
  };
  return await listNewest(sql, query, (body) => document.read(body));
}

/** Those of these alerts that are shown and that the limits allow, without the rows that cannot be read. */
export async function findAlertsOfFleet(
  sql: Sql,
  document: DocumentKind<AlertState>,
  alertIds: readonly string[],
  limits: AccessLimits,
): Promise<Listed<AlertState>[]> {
  const parameters = new Parameters();
  const conditions = [
    sql.isOneOf('alert_id', parameters.bind(JSON.stringify(alertIds))),
    "status <> 'pending'",
    ...limitConditions(sql, limits, parameters),
  ];
  const rows = await sql.query<FleetRow>(
    `SELECT alert_id, device_id, name, facility, zone, body FROM alerts JOIN devices USING (device_no)
     WHERE ${conditions.join(' AND ')} ORDER BY device_no, alert_no`,
    parameters.values,
  );
  return readable(rows, (body) => document.read(body));
}
