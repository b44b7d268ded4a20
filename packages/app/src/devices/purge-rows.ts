import { decodeChunk } from '@granary/store/chunks/chunk-codec';
import { updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { addChunk, firstChunkFrom, lockChunks, removeChunk } from '../telemetry/chunk-rows.ts';
import type { Transaction } from '../transaction.ts';

/** The progress of the removal of all rows of a device. */
export interface RunningPurge {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly startedAtMs: number;
  readonly rowsRemoved: number;
  /** The number of the stage; `position` is the place in its table from which on rows may be left. */
  readonly stage: number;
  readonly position: number;
}

export async function beginPurge(sql: Sql, deviceNo: number, startedAtMs: number): Promise<void> {
  await sql.run('UPDATE devices SET purge_started_at_ms = $2, purge_stage = 0 WHERE device_no = $1', [
    deviceNo,
    startedAtMs,
  ]);
}

export async function isPurgeWaiting(sql: Sql, removedBeforeMs: number): Promise<boolean> {
  const rows = await sql.query(
    'SELECT 1 AS found FROM devices WHERE purge_stage IS NOT NULL AND removed_at_ms <= $1 LIMIT 1',
    [removedBeforeMs],
  );
  return rows.length > 0;
}

/** Locks a device that is being purged and was removed before the time; one that another node works on is skipped. */
export async function lockNextPurge(sql: Sql, removedBeforeMs: number): Promise<RunningPurge | undefined> {
  const [row] = await sql.query<RunningPurge>(
    `SELECT device_no, device_id, purge_started_at_ms AS started_at_ms, purge_rows AS rows_removed,
       purge_stage AS stage, purge_position AS position FROM devices
     WHERE purge_stage IS NOT NULL AND removed_at_ms <= $1
     ORDER BY device_no LIMIT 1 ${sql.forUpdate} ${sql.skipLocked}`,
    [removedBeforeMs],
  );
  return row;
}

export async function savePurge(
  sql: Sql,
  { deviceNo, stage, position, rowsRemoved }: RunningPurge,
): Promise<void> {
  await updateRows(
    sql,
    'devices',
    { deviceNo },
    { purgeStage: stage, purgePosition: position, purgeRows: rowsRemoved },
  );
}

/**
 * Ends the purge. The row stays, because its number must never be given to another device: the events of the former device
 * would become part of its history. The row keeps its facility, which decides whether limited keys and webhooks get these
 * events. The new id contains a slash, which no id of a device has.
 */
export async function freeDeviceId(sql: Sql, { deviceNo, deviceId }: RunningPurge): Promise<void> {
  await sql.run(
    `UPDATE devices SET purge_stage = NULL, purged_device_id = $2, device_id = $3, name = '', model = '',
                        firmware_version = '', zone = '', secret_hash = '', sensors = NULL,
                        maintenance_reason = NULL, maintenance_by = NULL
     WHERE device_no = $1`,
    [deviceNo, deviceId, `purged/${deviceNo}`],
  );
}

/** One limited piece of the removal of a device's rows from a table. */
export interface PurgeStep {
  readonly rows: number;
  /** The place from which on rows may be left; `null` when the table has none any more. */
  readonly next: number | null;
}

export interface PurgedRange {
  readonly deviceNo: number;
  readonly from: number;
  readonly rowsMax: number;
}

/** Readings are ordered by time, so the rows of all devices are walked, a limited number of them in one step. */
export async function purgeReadings(sql: Sql, { deviceNo, from, rowsMax }: PurgedRange): Promise<PurgeStep> {
  // The chunks are locked, because moving readings into a chunk locks them in another order than the removal.
  await lockChunks(sql);
  const [row] = await sql.query<{ lastMs: number | null }>(
    `SELECT MAX(ts_ms) AS last_ms FROM (
       SELECT ts_ms FROM readings WHERE ts_ms >= $1 ORDER BY ts_ms LIMIT $2) AS walked`,
    [from, rowsMax],
  );
  const lastMs = row?.lastMs ?? null;
  if (lastMs === null) return { rows: 0, next: null };
  const rows = await sql.run('DELETE FROM readings WHERE ts_ms >= $1 AND ts_ms <= $2 AND device_no = $3', [
    from,
    lastMs,
    deviceNo,
  ]);
  return { rows, next: lastMs + 1 };
}

/** Removes the readings from one chunk in each step, because a chunk has readings of many devices. */
export async function purgeReadingChunks(sql: Sql, { deviceNo, from }: PurgedRange): Promise<PurgeStep> {
  await lockChunks(sql);
  const chunk = await firstChunkFrom(sql, from);
  if (chunk === undefined) return { rows: 0, next: null };
  const kept = decodeChunk(chunk.body, (other) => other !== deviceNo);
  const rows = chunk.readings - kept.length;
  if (rows > 0) {
    await removeChunk(sql, chunk);
    await addChunk(sql, kept);
  }
  return { rows, next: chunk.lastMs + 1 };
}

/** This number of time chunks has a few thousand rows of a device. */
const BUCKET_CHUNKS_PER_STEP = 40;
const TRACK_CHUNKS_PER_STEP = 12;

export const purgeBuckets = (sql: Sql, sizeMs: number, range: PurgedRange): Promise<PurgeStep> =>
  purgeChunks(
    sql,
    { table: 'buckets', chunk: 'time_chunk' },
    `size_ms = ${sizeMs}`,
    range,
    BUCKET_CHUNKS_PER_STEP,
  );

/** Must run after the buckets were removed, because some of them may be compressed meanwhile. */
export const purgeBucketChunks = (sql: Sql, sizeMs: number, range: PurgedRange): Promise<PurgeStep> =>
  purgeChunks(
    sql,
    { table: 'bucket_chunks', chunk: 'span_no' },
    `size_ms = ${sizeMs}`,
    range,
    BUCKET_CHUNKS_PER_STEP,
  );

export const purgeTracks = (sql: Sql, range: PurgedRange): Promise<PurgeStep> =>
  purgeChunks(sql, { table: 'tracks', chunk: 'time_chunk' }, '1 = 1', range, TRACK_CHUNKS_PER_STEP);

/** The chunks are named one by one, because a condition on a range of chunks would scan every device in each. */
async function purgeChunks(
  sql: Sql,
  { table, chunk }: { readonly table: string; readonly chunk: string },
  condition: string,
  { deviceNo, from }: PurgedRange,
  count: number,
): Promise<PurgeStep> {
  const [row] = await sql.query<{ first: number | null }>(
    `SELECT MIN(${chunk}) AS first FROM ${table} WHERE ${condition} AND ${chunk} >= $1`,
    [from],
  );
  const first = row?.first ?? null;
  if (first === null) return { rows: 0, next: null };
  const chunks = Array.from({ length: count }, (_, n) => first + n);
  const rows = await sql.run(
    `DELETE FROM ${table}
     WHERE ${condition} AND ${sql.isOneOfNumbers(chunk, '$1')} AND device_no = $2`,
    [JSON.stringify(chunks), deviceNo],
  );
  return { rows, next: first + count };
}

const NUMBERS = {
  operations: 'operation_no',
  commands: 'command_no',
  missions: 'mission_no',
  rejections: 'rejection_no',
  refills: 'refill_no',
  findings: 'finding_no',
  notes: 'note_no',
  alert_raises: 'raise_no',
  proposals: 'proposal_no',
} as const;

export async function purgeNumbered(
  sql: Sql,
  table: keyof typeof NUMBERS,
  { deviceNo, rowsMax }: PurgedRange,
): Promise<PurgeStep> {
  const number = NUMBERS[table];
  const rows = await sql.run(
    `DELETE FROM ${table} WHERE ${number} IN (
       SELECT ${number} FROM ${table} WHERE device_no = $1 ORDER BY ${number} LIMIT $2 ${sql.forUpdate})`,
    [deviceNo, rowsMax],
  );
  return { rows, next: rows === 0 ? null : 0 };
}

/** Removes alerts, each with the notices about it. */
export async function purgeAlerts(sql: Sql, { deviceNo, rowsMax }: PurgedRange): Promise<PurgeStep> {
  const alerts = await sql.query<{ alertNo: number; alertId: string }>(
    `SELECT alert_no, alert_id FROM alerts WHERE device_no = $1 ORDER BY alert_no LIMIT $2 ${sql.forUpdate}`,
    [deviceNo, rowsMax],
  );
  if (alerts.length === 0) return { rows: 0, next: null };
  const removed = await sql.run(`DELETE FROM alerts WHERE ${sql.isOneOfNumbers('alert_no', '$1')}`, [
    JSON.stringify(alerts.map(({ alertNo }) => alertNo)),
  ]);
  const notices = await sql.run(`DELETE FROM notification_notices WHERE ${sql.isOneOf('alert_id', '$1')}`, [
    JSON.stringify(alerts.map(({ alertId }) => alertId)),
  ]);
  return { rows: removed + notices, next: 0 };
}

/** Walks the messages of all rules and removes the chosen ones. */
export async function purgeNotifications(
  sql: Sql,
  { from, rowsMax }: PurgedRange,
  isChosen: (body: string) => boolean,
): Promise<PurgeStep> {
  const walked = await sql.query<{ notificationNo: number; body: string }>(
    'SELECT notification_no, body FROM notifications WHERE notification_no >= $1 ORDER BY notification_no LIMIT $2',
    [from, rowsMax],
  );
  const last = walked.at(-1);
  if (last === undefined) return { rows: 0, next: null };
  const chosen = walked.filter(({ body }) => isChosen(body)).map(({ notificationNo }) => notificationNo);
  const rows = await sql.run(
    `DELETE FROM notifications WHERE ${sql.isOneOfNumbers('notification_no', '$1')}`,
    [JSON.stringify(chosen)],
  );
  return { rows, next: last.notificationNo + 1 };
}

/** The tables in the order of locks. */
const REMAINING = [
  'device_labels',
  'forecasts',
  'forecast_histories',
  'use_days',
  'late_readings',
  'configurations',
  'configuration_versions',
  'open_buckets',
  'presence',
  'device_health',
  'alert_evaluations',
];

/** Removes the few rows that every device has; afterwards the device is not found any more. Returns the number of these rows. */
export async function purgeRemainingRows(tx: Transaction, deviceNo: number): Promise<number> {
  tx.memory?.clear();
  let rows = 0;
  for (const table of REMAINING) {
    rows += await tx.sql.run(`DELETE FROM ${table} WHERE device_no = $1`, [deviceNo]);
  }
  return rows;
}
