import type { Sql } from '../../sql.ts';

/** The removal of all rows of a device, as far as it has come. */
export interface RunningPurge {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly startedAtMs: number;
  readonly rowsRemoved: number;
  /** The number of the stage, and the place in its table from which on rows are left. */
  readonly stage: number;
  readonly position: number;
}

type PurgeRow = [
  deviceNo: number,
  deviceId: string,
  startedAtMs: number,
  rowsRemoved: number,
  stage: number,
  position: number,
];

export async function beginPurge(sql: Sql, deviceNo: number, startedAtMs: number): Promise<void> {
  await sql.run('UPDATE devices SET purge_started_at_ms = $2, purge_stage = 0 WHERE device_no = $1', [
    deviceNo,
    startedAtMs,
  ]);
}

export async function isPurgeWaiting(sql: Sql, removedBeforeMs: number): Promise<boolean> {
  const rows = await sql.query<[one: number]>(
    'SELECT 1 FROM devices WHERE purge_stage IS NOT NULL AND removed_at_ms <= $1 LIMIT 1',
    [removedBeforeMs],
  );
  return rows.length > 0;
}

/** Locks a device that is being purged and was removed before the time; one that another node works on is skipped. */
export async function lockNextPurge(sql: Sql, removedBeforeMs: number): Promise<RunningPurge | undefined> {
  const [row] = await sql.query<PurgeRow>(
    `SELECT device_no, device_id, purge_started_at_ms, purge_rows, purge_stage, purge_position FROM devices
     WHERE purge_stage IS NOT NULL AND removed_at_ms <= $1
     ORDER BY device_no LIMIT 1 ${sql.forUpdate} ${sql.skipLocked}`,
    [removedBeforeMs],
  );
  if (row === undefined) return undefined;
  const [deviceNo, deviceId, startedAtMs, rowsRemoved, stage, position] = row;
  return { deviceNo, deviceId, startedAtMs, rowsRemoved, stage, position };
}

export async function savePurge(
  sql: Sql,
  { deviceNo, stage, position, rowsRemoved }: RunningPurge,
): Promise<void> {
  await sql.run(
    'UPDATE devices SET purge_stage = $2, purge_position = $3, purge_rows = $4 WHERE device_no = $1',
    [deviceNo, stage, position, rowsRemoved],
  );
}

/**
 * Ends the purge. The row stays, because its number must never be given to another device, whose history the events would
 * then continue; it keeps its facility, by which limited keys and webhooks get these events. No device id has a slash.
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
