import { DEVICE_STATUSES, type DeviceStatus } from '@granary/contract/devices/statuses';
import type { Observation } from '@granary/core/alerts/observation';
import type { WeightRange } from '@granary/core/alerts/rules/level-rules';
import type { BulkUpsert, NumberRow, Sql } from '../sql.ts';

/**
 * The evaluation state of a device: its no-change band, the time of its next evaluation, and the status last published. The
 * row is also the lock of the device: every decision about its jobs or alerts locks it first, several of them in the order
 * of their numbers.
 */
export interface AlertEvaluation extends Observation {
  readonly deviceNo: number;
  /** `null` means that any activity of the device may change an alert. */
  readonly noChangeBand: WeightRange | null;
  readonly nextEvaluationAtMs: number | null;
}

/** The stored code of each status, which never changes. The first status of a device counts as a change from offline. */
const STATUS_CODES = { offline: 0, online: 1, maintenance: 2 } as const satisfies Record<
  DeviceStatus,
  number
>;

type EvaluationRow = [
  ...[deviceNo: number, minG: number | null, maxG: number | null],
  ...[nextEvaluationAtMs: number | null, lastPublishedStatus: number | null],
  ...[onlineSinceMs: number | null, leftAtMs: number | null, observedSinceMs: number],
];

const COLUMNS = [
  ...['device_no', 'no_change_min_g', 'no_change_max_g', 'next_evaluation_at_ms', 'last_published_status'],
  ...['online_since_ms', 'left_at_ms'],
];

const EVALUATIONS: BulkUpsert = {
  table: 'alert_evaluations',
  key: ['device_no'],
  columns: COLUMNS,
  update: COLUMNS.slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', '),
};

/** Zero sorts first, so the next evaluation picks it up immediately. */
const AT_ONCE_MS = 0;

const MARKS: BulkUpsert = {
  table: 'alert_evaluations',
  key: ['device_no'],
  columns: ['device_no', 'next_evaluation_at_ms'],
  update: 'next_evaluation_at_ms = excluded.next_evaluation_at_ms',
};

/** Also reads since when the service has been running, because every evaluation depends on it. */
const SELECT_EVALUATION = `SELECT ${COLUMNS.join(', ')}, (SELECT since_ms FROM observation) FROM alert_evaluations`;

const bandOf = (minG: number | null, maxG: number | null): WeightRange | null =>
  minG === null || maxG === null ? null : { minG, maxG };

function toEvaluation([
  deviceNo,
  minG,
  maxG,
  nextEvaluationAtMs,
  statusCode,
  ...observation
]: EvaluationRow): AlertEvaluation {
  const [onlineSinceMs, leftAtMs, observedSinceMs] = observation;
  return {
    deviceNo,
    noChangeBand: bandOf(minG, maxG),
    nextEvaluationAtMs,
    lastPublishedStatus: DEVICE_STATUSES.find((status) => STATUS_CODES[status] === statusCode) ?? 'offline',
    onlineSinceMs: onlineSinceMs ?? 0,
    leftAtMs,
    observedSinceMs,
  };
}

/** No stored value lies beyond it. */
const whole = (boundG: number): number =>
  Math.min(Math.max(boundG, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);

const toRow = ({
  deviceNo,
  noChangeBand,
  nextEvaluationAtMs,
  lastPublishedStatus,
  onlineSinceMs,
  leftAtMs,
}: AlertEvaluation): NumberRow => [
  deviceNo,
  noChangeBand && whole(noChangeBand.minG),
  noChangeBand && whole(noChangeBand.maxG),
  nextEvaluationAtMs,
  STATUS_CODES[lastPublishedStatus],
  onlineSinceMs,
  leftAtMs,
];

/** Whether both have the same stored form. */
export const isSameEvaluation = (a: AlertEvaluation, b: AlertEvaluation | undefined): boolean =>
  b !== undefined &&
  a.nextEvaluationAtMs === b.nextEvaluationAtMs &&
  a.lastPublishedStatus === b.lastPublishedStatus &&
  a.onlineSinceMs === b.onlineSinceMs &&
  a.leftAtMs === b.leftAtMs &&
  isSameBand(a.noChangeBand, b.noChangeBand);

export const isSameBand = (a: WeightRange | null, b: WeightRange | null): boolean =>
  a === b || (a !== null && b !== null && whole(a.minG) === whole(b.minG) && whole(a.maxG) === whole(b.maxG));

/** Locks these devices until the end of the transaction. */
export async function lockDevices(sql: Sql, deviceNos: readonly number[]): Promise<AlertEvaluation[]> {
  return await hold(sql, deviceNos, sql.forUpdate);
}

export async function lockDevice(sql: Sql, deviceNo: number): Promise<AlertEvaluation | undefined> {
  const [evaluation] = await lockDevices(sql, [deviceNo]);
  return evaluation;
}

/** Like `lockDevices`, but skips devices that are already locked. */
export async function tryLockDevices(sql: Sql, deviceNos: readonly number[]): Promise<AlertEvaluation[]> {
  return await hold(sql, deviceNos, `${sql.forUpdate} ${sql.skipLocked}`);
}

async function hold(sql: Sql, deviceNos: readonly number[], how: string): Promise<AlertEvaluation[]> {
  const rows = await sql.query<EvaluationRow>(
    `${SELECT_EVALUATION} WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no ${how}`,
    [JSON.stringify(deviceNos)],
  );
  return rows.map(toEvaluation);
}

/** Locks the due devices that no other transaction has locked. */
export async function lockDueDevices(sql: Sql, nowMs: number, limit: number): Promise<AlertEvaluation[]> {
  const rows = await sql.query<EvaluationRow>(
    `${SELECT_EVALUATION} WHERE next_evaluation_at_ms <= $1 ORDER BY next_evaluation_at_ms LIMIT $2 ${sql.forUpdate} ${sql.skipLocked}`,
    [nowMs, limit],
  );
  return rows.map(toEvaluation);
}

export async function saveEvaluations(sql: Sql, evaluations: readonly AlertEvaluation[]): Promise<void> {
  await sql.upsertMany(EVALUATIONS, evaluations.toSorted((a, b) => a.deviceNo - b.deviceNo).map(toRow));
}

/** Marks devices as due, including new ones, so that another node evaluates them if this one stops. */
export async function scheduleEvaluation(sql: Sql, deviceNos: readonly number[]): Promise<void> {
  await sql.upsertMany(
    MARKS,
    deviceNos.map((deviceNo) => [deviceNo, AT_ONCE_MS]),
  );
}

export interface DeviceBand {
  readonly deviceNo: number;
  readonly noChangeBand: WeightRange | null;
}

/** In the order of the devices' numbers. */
export async function noChangeBandsOf(sql: Sql, deviceNos: readonly number[]): Promise<DeviceBand[]> {
  const rows = await sql.query<[deviceNo: number, minG: number | null, maxG: number | null]>(
    `SELECT device_no, no_change_min_g, no_change_max_g FROM alert_evaluations
     WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no`,
    [JSON.stringify(deviceNos)],
  );
  return rows.map(([deviceNo, minG, maxG]) => ({ deviceNo, noChangeBand: bandOf(minG, maxG) }));
}

/** Records that the service is running without a gap from now on; a later call of another node wins. */
export async function saveObservedSince(sql: Sql, sinceMs: number): Promise<void> {
  await sql.run('UPDATE observation SET since_ms = $1', [sinceMs]);
}
