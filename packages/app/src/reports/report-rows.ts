import type { Actor } from '@granary/contract/audit';
import type { SiloFacts } from '@granary/core/reports/report';
import type { StoredSchedule } from '@granary/core/reports/schedule';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type DeviceSelection, Parameters, selectionConditions, where } from '../conditions.ts';
import { readLastBefore } from '../telemetry/bucket-rows.ts';

export interface SiloPage {
  readonly devices: DeviceSelection;
  /** The first day of the chart; the last days of the chart are those of the report. */
  readonly fromDay: number;
  readonly endDay: number;
  readonly beginMs: number;
  /** `null` while the period is not over. */
  readonly endMs: number | null;
  /** The id of the last silo of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

interface SiloRow extends Pick<SiloFacts, 'deviceId' | 'name' | 'facility' | 'zone' | 'capacityKg'> {
  readonly deviceNo: number;
  readonly product: string | null;
  readonly bushelKg: number | null;
  readonly body: string | null;
}

type DayRow = SiloFacts['days'][number] & { readonly deviceNo: number };

/** Reads the silos after an id, in the order of their ids. */
export async function readSilos(sql: Sql, page: SiloPage): Promise<SiloFacts[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = [
    "devices.profile = 'silo_scale'",
    'devices.removed_at_ms IS NULL',
    ...selectionConditions(sql, page.devices, parameters),
  ];
  if (page.after !== null) conditions.push(`devices.device_id > ${bind(page.after)}`);
  const silos = await sql.query<SiloRow>(
    `SELECT devices.device_no, devices.device_id, devices.name, devices.facility, devices.zone, devices.capacity_kg,
       forecasts.product, forecasts.bushel_kg, forecasts.body
     FROM devices LEFT JOIN forecasts ON forecasts.device_no = devices.device_no ${where(conditions)}
     ORDER BY devices.device_id LIMIT ${bind(page.limit)}`,
    parameters.values,
  );
  if (silos.length === 0) return [];
  const deviceNos = silos.map(({ deviceNo }) => deviceNo);
  const days = await sql.query<DayRow>(
    `SELECT device_no, day, kg, discharged_kg, refilled_kg FROM use_days
     WHERE ${sql.isOneOfNumbers('device_no', '$1')} AND day >= $2 AND day < $3 ORDER BY device_no, day`,
    [JSON.stringify(deviceNos), page.fromDay, page.endDay],
  );
  const { lane } = STANDARD_SENSORS.weight;
  const weightsBefore = (beforeMs: number | null): Promise<Map<number, number>> =>
    beforeMs === null ? Promise.resolve(new Map()) : readLastBefore(sql, { deviceNos, lane, beforeMs });
  const begin = await weightsBefore(page.beginMs);
  const end = await weightsBefore(page.endMs);
  const kilograms = (grams: number | undefined): number | null =>
    grams === undefined ? null : grams / 1_000;
  const daysOf = Map.groupBy(days, ({ deviceNo }) => deviceNo);
  return silos.map(({ deviceNo, body, ...silo }) => ({
    ...silo,
    forecast: body === null ? null : JSON.parse(body),
    beginKg: kilograms(begin.get(deviceNo)),
    endKg: kilograms(end.get(deviceNo)),
    days: daysOf.get(deviceNo) ?? [],
  }));
}

interface ScheduleRow extends Omit<StoredSchedule, 'content' | 'createdBy'> {
  readonly body: string;
  readonly createdBy: string | null;
}

const SELECT = 'SELECT schedule_id, key_id, body, created_by, next_at_ms, sent_at_ms FROM report_schedules';

const toSchedule = ({ body, createdBy, ...row }: ScheduleRow): StoredSchedule => ({
  ...row,
  content: JSON.parse(body),
  createdBy: createdBy === null ? null : JSON.parse(createdBy),
});

const written = (actor: Actor | null): string | null => (actor === null ? null : JSON.stringify(actor));

export async function findSchedule(sql: Sql, scheduleId: string): Promise<StoredSchedule | undefined> {
  const [row] = await sql.query<ScheduleRow>(`${SELECT} WHERE schedule_id = $1`, [scheduleId]);
  return row && toSchedule(row);
}

export interface SchedulePage {
  /** The owner of the schedules; `null` selects the schedules of all owners. */
  readonly keyId: string | null;
  readonly afterId: string | null;
  readonly limit: number;
}

/** Lists the schedules in the order in which they were created. */
export async function listSchedules(sql: Sql, page: SchedulePage): Promise<StoredSchedule[]> {
  const { keyId, afterId, limit } = page;
  const { bind, values } = new Parameters();
  const conditions = [`schedule_id > ${bind(afterId ?? '')}`];
  if (keyId !== null) conditions.push(`key_id = ${bind(keyId)}`);
  const rows = await sql.query<ScheduleRow>(
    `${SELECT} ${where(conditions)} ORDER BY schedule_id LIMIT ${bind(limit)}`,
    values,
  );
  return rows.map(toSchedule);
}

/** Lists the due schedules; the one that has been due longest comes first. */
export async function dueSchedules(sql: Sql, nowMs: number, limit: number): Promise<StoredSchedule[]> {
  const rows = await sql.query<ScheduleRow>(
    `${SELECT} WHERE next_at_ms <= $1 ORDER BY next_at_ms, schedule_id LIMIT $2`,
    [nowMs, limit],
  );
  return rows.map(toSchedule);
}

export async function countSchedules(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>('SELECT COUNT(*) AS count FROM report_schedules');
  return row?.count ?? 0;
}

export async function insertSchedule(sql: Sql, schedule: StoredSchedule): Promise<void> {
  const { content, createdBy, ...row } = schedule;
  const columns = { ...row, body: JSON.stringify(content), createdBy: written(createdBy) };
  await insertRows(sql, { table: 'report_schedules' }, [columns]);
}

/** Returns whether there is such a schedule. */
export async function saveSchedule(sql: Sql, schedule: Omit<StoredSchedule, 'sentAtMs'>): Promise<boolean> {
  const { scheduleId, keyId, content, createdBy, nextAtMs } = schedule;
  const changed = await sql.run(
    'UPDATE report_schedules SET key_id = $2, body = $3, created_by = $4, next_at_ms = $5 WHERE schedule_id = $1',
    [scheduleId, keyId, JSON.stringify(content), written(createdBy), nextAtMs],
  );
  return changed === 1;
}

export const removeSchedule = (sql: Sql, scheduleId: string): Promise<number> =>
  sql.run('DELETE FROM report_schedules WHERE schedule_id = $1', [scheduleId]);

export interface DueReport {
  readonly scheduleId: string;
  readonly dueAtMs: number;
  readonly nextAtMs: number | null;
}

/** Takes the report if it is still due; the node for which this returns true sends it. */
export async function takeDue(sql: Sql, { scheduleId, dueAtMs, nextAtMs }: DueReport): Promise<boolean> {
  const taken = await sql.run(
    'UPDATE report_schedules SET next_at_ms = $3, sent_at_ms = $2 WHERE schedule_id = $1 AND next_at_ms = $2',
    [scheduleId, dueAtMs, nextAtMs],
  );
  return taken === 1;
}
