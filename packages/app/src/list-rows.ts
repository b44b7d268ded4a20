import type { AlertFilter, AlertSeverity, AlertType } from '@granary/contract/alerts';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import type { DocumentKind } from '@granary/core/documents';
import type { Limits } from '@granary/core/keys';
import type { Sql } from '@granary/store/sql';
import { shownAlerts } from './alerts/alert-rows.ts';
import {
  type DeviceSelection,
  limitConditions,
  Parameters,
  selectionConditions,
  selectsAll,
} from './conditions.ts';
import type { DeviceJob, JobKind } from './jobs/job-rows.ts';

/** Builds conditions on the columns of the listed table, which has the name `row` in the statement. */
type RowConditions = (row: string, parameters: Parameters) => string[];

interface NewestRowsQuery {
  readonly table: string;
  /** The column of the number, by which the rows are ordered; `idColumn` has the id. */
  readonly numberColumn: string;
  readonly idColumn: string;
  readonly rowConditions: RowConditions;
  /** True if an index has only the few rows that meet the conditions, however long the history is. */
  readonly isOfFewRows: boolean;
  readonly devices: DeviceSelection;
  readonly beforeId: string | null;
  readonly limit: number;
}

/** The device that a row belongs to, as people know it. */
export interface DeviceOfRow {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly facility: string;
  readonly zone: string;
}

export interface FleetRow extends DeviceOfRow {
  readonly id: string;
  readonly body: string;
}

export interface Listed<State> extends DeviceOfRow {
  readonly id: string;
  readonly state: State;
}

/** Lists the rows, newest first. Rows that cannot be read are left out; the page is filled with further rows. */
async function listNewest<State>(
  sql: Sql,
  query: NewestRowsQuery,
  read: (body: string) => State,
): Promise<Listed<State>[]> {
  const found: Listed<State>[] = [];
  let { beforeId } = query;
  for (;;) {
    const limit = query.limit - found.length;
    const rows = await newestRows(sql, { ...query, beforeId, limit });
    found.push(...readable(rows, read));
    if (rows.length < limit || found.length === query.limit) return found;
    beforeId = rows.at(-1)?.id ?? null;
  }
}

export function readable<State>(rows: readonly FleetRow[], read: (body: string) => State): Listed<State>[] {
  return rows.flatMap(({ body, ...row }) => {
    try {
      return [{ ...row, state: read(body) }];
    } catch {
      return [];
    }
  });
}

async function newestRows(sql: Sql, query: NewestRowsQuery): Promise<FleetRow[]> {
  const parameters = new Parameters();
  const isOrderedWalk = query.isOfFewRows || selectsAll(query.devices);
  const text = isOrderedWalk ? walkText(sql, query, parameters) : headsText(sql, query, parameters);
  return await sql.query<FleetRow>(text, parameters.values);
}

/** Returns the conditions on a row, including that it comes after the cursor. */
const conditionsOf = (
  { table, numberColumn, idColumn, rowConditions, beforeId }: NewestRowsQuery,
  row: string,
  parameters: Parameters,
): string[] => {
  const conditions = rowConditions(row, parameters);
  if (beforeId === null) return conditions;
  const before = `(SELECT ${numberColumn} FROM ${table} WHERE ${idColumn} = ${parameters.bind(beforeId)})`;
  return [...conditions, `${row}.${numberColumn} < ${before}`];
};

/** The statement reads an index from its newest entry on until the page is full. CROSS JOIN makes SQLite read the listed table first. */
function walkText(sql: Sql, query: NewestRowsQuery, parameters: Parameters): string {
  const { table, numberColumn, devices, limit } = query;
  const conditions = [
    'devices.device_no = listed.device_no',
    ...conditionsOf(query, 'listed', parameters),
    ...selectionConditions(sql, devices, parameters),
  ];
  return `
    WITH page AS MATERIALIZED (
      SELECT listed.${numberColumn} FROM ${table} AS listed CROSS JOIN devices
      WHERE ${conditions.join(' AND ')} ORDER BY listed.${numberColumn} DESC LIMIT ${parameters.bind(limit)})
    ${bodiesText(query)}`;
}

/** The statement reads bodies only for the rows of the page. */
const bodiesText = ({ table, numberColumn, idColumn }: NewestRowsQuery): string =>
  `SELECT ${table}.${idColumn} AS id, devices.device_id, devices.name AS device_name, devices.facility, devices.zone, ${table}.body
   FROM page CROSS JOIN ${table} CROSS JOIN devices
   WHERE ${table}.${numberColumn} = page.${numberColumn} AND devices.device_no = ${table}.device_no
   ORDER BY page.${numberColumn} DESC`;

/**
 * The statement finds the newest row of each selected device with one index entry each. A page of n rows can only have rows of
 * the n devices with the newest ones, at most n of each, and none that is older than all of these newest rows. So the cost
 * depends on the devices and the page, and not on the history.
 */
function headsText(sql: Sql, query: NewestRowsQuery, parameters: Parameters): string {
  const { table, numberColumn: number, devices, limit } = query;
  const { bind } = parameters;
  const own = (device: string) =>
    [`own.device_no = ${device}.device_no`, ...conditionsOf(query, 'own', parameters)].join(' AND ');
  const newestOf = (device: string, skipped: string) =>
    `(SELECT own.${number} FROM ${table} AS own WHERE ${own(device)}
      ORDER BY own.${number} DESC LIMIT 1 OFFSET ${skipped})`;
  const selected = selectionConditions(sql, devices, parameters).join(' AND ');
  const last = bind(limit - 1);
  return `
    WITH heads AS MATERIALIZED (
      SELECT device_no, ${newestOf('devices', '0')} AS head FROM devices WHERE ${selected}),
    newest AS MATERIALIZED (
      SELECT device_no, head FROM heads WHERE head IS NOT NULL
      ORDER BY head DESC LIMIT ${bind(limit)}),
    bounds AS MATERIALIZED (
      SELECT device_no, head, COALESCE(${newestOf('newest', last)}, 0) AS oldest_own,
        COALESCE((SELECT head FROM newest ORDER BY head DESC LIMIT 1 OFFSET ${last}), 0) AS oldest_head
      FROM newest),
    ranges AS MATERIALIZED (
      SELECT device_no, head,
        CASE WHEN oldest_own > oldest_head THEN oldest_own ELSE oldest_head END AS oldest FROM bounds),
    page AS MATERIALIZED (
      SELECT listed.${number} FROM ranges CROSS JOIN ${table} AS listed
      WHERE listed.device_no = ranges.device_no AND ${query
        .rowConditions('listed', parameters)
        .map((condition) => `${condition} AND`)
        .join(' ')}
        listed.${number} <= ranges.head AND listed.${number} >= ranges.oldest
      ORDER BY listed.${number} DESC LIMIT ${bind(limit)})
    ${bodiesText(query)}`;
}

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
  /** `unfinished` selects every job that has not ended. */
  readonly status: string | null;
}

export async function listAlertsOfFleet(
  sql: Sql,
  document: DocumentKind<AlertState>,
  { filter, severity, type, ...page }: FleetAlertPage,
): Promise<Listed<AlertState>[]> {
  const isOfFewRows = filter !== 'all' && filter !== 'resolved';
  // An expression hides the column from the index of a severity or type, which has all resolved alerts, too.
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
    isOfFewRows: status === 'unfinished',
    rowConditions: (row: string, { bind }: Parameters) => {
      if (status === null) return [];
      if (status !== 'unfinished') return [`${row}.status = ${bind(status)}`];
      // The condition is a list of numbers, because otherwise the whole table would be read in the order of the numbers.
      return [`${row}.${name}_no IN (SELECT ${name}_no FROM ${name}s WHERE is_finished = 0)`];
    },
  };
  return await listNewest(sql, query, (body) => document.read(body));
}

/** Finds those of these alerts that are shown and that the limits allow; rows that cannot be read are left out. */
export async function findAlertsOfFleet(
  sql: Sql,
  document: DocumentKind<AlertState>,
  alertIds: readonly string[],
  limits: Limits,
): Promise<Listed<AlertState>[]> {
  const parameters = new Parameters();
  const conditions = [
    sql.isOneOf('alert_id', parameters.bind(JSON.stringify(alertIds))),
    "status <> 'pending'",
    ...limitConditions(sql, limits, parameters),
  ];
  const rows = await sql.query<FleetRow>(
    `SELECT alert_id AS id, device_id, name AS device_name, facility, zone, body FROM alerts JOIN devices USING (device_no)
     WHERE ${conditions.join(' AND ')} ORDER BY device_no, alert_no`,
    parameters.values,
  );
  return readable(rows, (body) => document.read(body));
}
