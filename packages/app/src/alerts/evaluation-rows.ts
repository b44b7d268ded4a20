import { DEVICE_STATUSES, type DeviceStatus } from '@granary/contract/devices/statuses';
import type { NoChangeRanges, SensorRange } from '@granary/core/alerts/no-change-ranges';
import type { Observation } from '@granary/core/alerts/observation';
import { insertRowsUnawaited } from '@granary/store/rows';
import type { BulkUpsert, NumberRow, Sql } from '@granary/store/sql';
import { refuseOutside } from '../rights.ts';
import type { Transaction } from '../transaction.ts';

/** The stored form of the ranges. That of the weight has two columns, because most devices have no other; the others are JSON. */
interface RangeColumns {
  readonly noChangeMinG: number | null;
  readonly noChangeMaxG: number | null;
  readonly noChangeRanges: string | null;
}

type StoredRange = [group: SensorRange['group'], slot: SensorRange['slot'], min: number, max: number];

/** Limits a bound to the safe integers; no stored value is beyond them. */
const whole = (bound: number): number =>
  Math.min(Math.max(bound, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);

function rangeColumns(ranges: NoChangeRanges | null): RangeColumns {
  if (ranges === null) return { noChangeMinG: null, noChangeMaxG: null, noChangeRanges: null };
  const { weight, others } = ranges;
  const stored = others.map(
    ({ group, slot, min, max }): StoredRange => [group, slot, whole(min), whole(max)],
  );
  return {
    noChangeMinG: whole(weight.min),
    noChangeMaxG: whole(weight.max),
    noChangeRanges: stored.length === 0 ? null : JSON.stringify(stored),
  };
}

/** Ranges that cannot be read count as none: the device is evaluated, and its ranges are written anew. */
function toRanges({
  noChangeMinG: min,
  noChangeMaxG: max,
  noChangeRanges: text,
}: RangeColumns): NoChangeRanges | null {
  if (min === null || max === null) return null;
  const weight = { min, max };
  if (text === null) return { weight, others: [] };
  try {
    const others = (JSON.parse(text) as StoredRange[]).map(([group, slot, min, max]) => ({
      group,
      slot,
      min,
      max,
    }));
    return { weight, others };
  } catch {
    return null;
  }
}

export function isSameRanges(a: NoChangeRanges | null, b: NoChangeRanges | null): boolean {
  if (a === b) return true;
  const [one, other] = [rangeColumns(a), rangeColumns(b)];
  return (
    one.noChangeMinG === other.noChangeMinG &&
    one.noChangeMaxG === other.noChangeMaxG &&
    one.noChangeRanges === other.noChangeRanges
  );
}

/**
 * The evaluation state of a device: its no-change ranges, the time of its next evaluation, and the status last published. The
 * row is also the lock of the device: every decision about its jobs or alerts locks it first, several of them in the order
 * of their numbers.
 */
export interface AlertEvaluation extends Observation {
  readonly deviceNo: number;
  /** `null` means that any activity of the device may change an alert. */
  readonly noChangeRanges: NoChangeRanges | null;
  readonly nextEvaluationAtMs: number | null;
}

/** The stored code of each status, which never changes. The first status of a device counts as a change from offline. */
const STATUS_CODES = { offline: 0, online: 1, maintenance: 2 } as const satisfies Record<
  DeviceStatus,
  number
>;

interface EvaluationRow
  extends RangeColumns,
    Pick<AlertEvaluation, 'deviceNo' | 'nextEvaluationAtMs' | 'leftAtMs' | 'observedSinceMs'> {
  readonly lastPublishedStatus: number | null;
  readonly onlineSinceMs: number | null;
}

const COLUMNS = [
  'device_no',
  'no_change_min_g',
  'no_change_max_g',
  'next_evaluation_at_ms',
  'last_published_status',
  'online_since_ms',
  'left_at_ms',
];

const EVALUATIONS: BulkUpsert = {
  table: 'alert_evaluations',
  key: ['device_no'],
  columns: COLUMNS,
  update: COLUMNS.slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', '),
};

/** Text cannot be written by a bulk statement; few devices have it. */
const OTHER_RANGES = {
  table: 'alert_evaluations',
  onConflict: 'ON CONFLICT (device_no) DO UPDATE SET no_change_ranges = excluded.no_change_ranges',
};

const MARKS: BulkUpsert = {
  table: 'alert_evaluations',
  key: ['device_no'],
  columns: ['device_no', 'next_evaluation_at_ms'],
  update: 'next_evaluation_at_ms = excluded.next_evaluation_at_ms',
};

/**
 * Also reads since when the service has been observing, because every evaluation needs it. The observation of a restored device
 * begins when it is restored.
 */
const SELECT_EVALUATION = `SELECT ${COLUMNS.join(', ')}, no_change_ranges, (SELECT CASE WHEN restored_at_ms > since_ms THEN restored_at_ms ELSE since_ms END FROM observation) AS observed_since_ms FROM alert_evaluations`;

function toEvaluation({
  deviceNo,
  nextEvaluationAtMs,
  lastPublishedStatus,
  onlineSinceMs,
  leftAtMs,
  observedSinceMs,
  ...ranges
}: EvaluationRow): AlertEvaluation {
  return {
    deviceNo,
    noChangeRanges: toRanges(ranges),
    nextEvaluationAtMs,
    lastPublishedStatus:
      DEVICE_STATUSES.find((status) => STATUS_CODES[status] === lastPublishedStatus) ?? 'offline',
    onlineSinceMs: onlineSinceMs ?? 0,
    leftAtMs,
    observedSinceMs,
  };
}

const toRow = ({
  deviceNo,
  noChangeRanges,
  nextEvaluationAtMs,
  lastPublishedStatus,
  onlineSinceMs,
  leftAtMs,
}: AlertEvaluation): NumberRow => {
  const { noChangeMinG, noChangeMaxG } = rangeColumns(noChangeRanges);
  const status = STATUS_CODES[lastPublishedStatus];
  return [deviceNo, noChangeMinG, noChangeMaxG, nextEvaluationAtMs, status, onlineSinceMs, leftAtMs];
};

const otherRangesOf = ({ noChangeRanges }: AlertEvaluation): string | null =>
  rangeColumns(noChangeRanges).noChangeRanges;

/** Returns whether both evaluations have the same stored form. */
const isSameEvaluation = (a: AlertEvaluation, b: AlertEvaluation): boolean =>
  a.nextEvaluationAtMs === b.nextEvaluationAtMs &&
  a.lastPublishedStatus === b.lastPublishedStatus &&
  a.onlineSinceMs === b.onlineSinceMs &&
  a.leftAtMs === b.leftAtMs &&
  isSameRanges(a.noChangeRanges, b.noChangeRanges);

/** Locks these devices until the end of the transaction. */
export async function lockDevices(sql: Sql, deviceNos: readonly number[]): Promise<AlertEvaluation[]> {
  return await hold(sql, deviceNos, sql.forUpdate);
}

/** Locks the device that a caller names; refuses if the caller may no longer access it. */
export async function lockDevice(tx: Transaction, deviceNo: number): Promise<AlertEvaluation | undefined> {
  const [evaluation] = await lockDevices(tx.sql, [deviceNo]);
  await refuseOutside(tx, deviceNo);
  return evaluation;
}

/** Like `lockDevices`, but skips devices that are already locked. */
export async function tryLockDevices(sql: Sql, deviceNos: readonly number[]): Promise<AlertEvaluation[]> {
  return await hold(sql, deviceNos, `${sql.forUpdate} ${sql.skipLocked}`);
}

async function hold(sql: Sql, deviceNos: readonly number[], how: string): Promise<AlertEvaluation[]> {
  const text = `${SELECT_EVALUATION} WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no ${how}`;
  return (await sql.query<EvaluationRow>(text, [JSON.stringify(deviceNos)])).map(toEvaluation);
}

/** Locks the due devices that no other transaction has locked. */
export async function lockDueDevices(sql: Sql, nowMs: number, limit: number): Promise<AlertEvaluation[]> {
  const rows = await sql.query<EvaluationRow>(
    `${SELECT_EVALUATION} WHERE next_evaluation_at_ms <= $1 ORDER BY next_evaluation_at_ms LIMIT $2 ${sql.forUpdate} ${sql.skipLocked}`,
    [nowMs, limit],
  );
  return rows.map(toEvaluation);
}

export interface EvaluationChange {
  readonly before: AlertEvaluation;
  readonly after: AlertEvaluation;
}

/** Writes what has changed of devices that are locked. */
export async function saveEvaluations(
  tx: Transaction,
  evaluations: readonly EvaluationChange[],
): Promise<void> {
  const changed = evaluations
    .filter(({ before, after }) => !isSameEvaluation(before, after))
    .toSorted((a, b) => a.after.deviceNo - b.after.deviceNo);
  for (const { after } of changed) tx.memory?.noChangeRanges.delete(after.deviceNo);
  await tx.sql.upsertMany(
    EVALUATIONS,
    changed.map(({ after }) => toRow(after)),
  );
  await insertRowsUnawaited(
    tx.sql,
    OTHER_RANGES,
    changed.flatMap(({ before, after }) => {
      const text = otherRangesOf(after);
      return text === otherRangesOf(before) ? [] : [{ deviceNo: after.deviceNo, noChangeRanges: text }];
    }),
  );
}

export interface DueDevice {
  readonly deviceNo: number;
  /** When the evaluation is due: the time of the change that requires it. */
  readonly atMs: number;
}

/** Marks devices as due, including new ones, so that another node evaluates them if this one stops. */
export async function scheduleEvaluation(sql: Sql, due: readonly DueDevice[]): Promise<void> {
  await sql.upsertMany(
    MARKS,
    due.map(({ deviceNo, atMs }) => [deviceNo, atMs]),
  );
}

export interface DeviceRanges {
  readonly deviceNo: number;
  readonly noChangeRanges: NoChangeRanges | null;
}

/** Returns the ranges in the order of the device numbers. */
export async function noChangeRangesOf(
  tx: Transaction,
  deviceNos: readonly number[],
): Promise<DeviceRanges[]> {
  const { memory } = tx;
  if (memory === null) return await readRanges(tx.sql, deviceNos);
  const unknown = deviceNos.filter((deviceNo) => !memory.noChangeRanges.has(deviceNo));
  for (const { deviceNo, noChangeRanges } of unknown.length === 0 ? [] : await readRanges(tx.sql, unknown)) {
    memory.keepNoChangeRanges(deviceNo, noChangeRanges);
  }
  const known: DeviceRanges[] = [];
  for (const deviceNo of deviceNos) {
    const noChangeRanges = memory.noChangeRanges.get(deviceNo);
    if (noChangeRanges !== undefined) known.push({ deviceNo, noChangeRanges });
  }
  return known.sort((a, b) => a.deviceNo - b.deviceNo);
}

async function readRanges(sql: Sql, deviceNos: readonly number[]): Promise<DeviceRanges[]> {
  const rows = await sql.query<RangeColumns & { readonly deviceNo: number }>(
    `SELECT device_no, no_change_min_g, no_change_max_g, no_change_ranges FROM alert_evaluations
     WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no`,
    [JSON.stringify(deviceNos)],
  );
  return rows.map(({ deviceNo, ...ranges }) => ({ deviceNo, noChangeRanges: toRanges(ranges) }));
}

/** Records that the observation of the device begins anew. */
export async function saveRestoredAt(sql: Sql, deviceNo: number, atMs: number): Promise<void> {
  await sql.run('UPDATE alert_evaluations SET restored_at_ms = $2 WHERE device_no = $1', [deviceNo, atMs]);
}

/** Records that the service is running without a gap from now on. */
export async function saveObservedSince(sql: Sql, sinceMs: number): Promise<void> {
  await sql.run('UPDATE observation SET since_ms = $1, until_ms = $1', [sinceMs]);
}

export interface Observing {
  readonly nowMs: number;
  /** Without a node that hears the devices for longer than this, the observation begins anew. */
  readonly gapMs: number;
  /** True if this node hears the devices now. */
  readonly isReceiving: boolean;
}

/** Continues the observation of all nodes, or begins it anew after a gap. It is one statement, so that nodes wait for each other. */
export async function continueObservation(sql: Sql, { nowMs, gapMs, isReceiving }: Observing): Promise<void> {
  // The clock of the database may have been set back.
  const isAhead = 'until_ms - $2 > $1';
  const until = isReceiving ? `CASE WHEN until_ms < $1 OR ${isAhead} THEN $1 ELSE until_ms END` : 'until_ms';
  await sql.run(
    `UPDATE observation SET since_ms = CASE WHEN until_ms + $2 < $1 OR ${isAhead} THEN $1 ELSE since_ms END,
       until_ms = ${until}`,
    [nowMs, gapMs],
  );
}
