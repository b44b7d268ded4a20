import type { Presence } from '@granary/core/devices/status';
import { insertRows, insertRowsUnawaited } from '@granary/store/rows';
import type { BulkUpsert, Sql } from '@granary/store/sql';

/** The number of stored rejections per device; older ones are only counted. */
export const REJECTIONS_KEPT_MAX = 20;
const REJECTED_TEXT_CHARS_MAX = 2_000;

export interface LastSeenUpdate {
  readonly deviceNo: number;
  readonly atMs: number;
}

interface StoredRejection {
  readonly receivedAtMs: number;
  readonly topic: string;
  readonly reason: string;
  readonly payload: string;
}

export interface NewRejection extends StoredRejection {
  readonly deviceNo: number;
}

export interface StoredRejections {
  readonly total: number;
  /** The stored rejections, newest first. */
  readonly recent: readonly StoredRejection[];
}

const SEEN: BulkUpsert = {
  table: 'presence',
  key: ['device_no'],
  columns: ['device_no', 'last_seen_at_ms'],
  update: `last_seen_at_ms = CASE WHEN presence.last_seen_at_ms > excluded.last_seen_at_ms
                                  THEN presence.last_seen_at_ms ELSE excluded.last_seen_at_ms END`,
};

export async function recordSeen(sql: Sql, sightings: readonly LastSeenUpdate[]): Promise<void> {
  const newest = new Map<number, number>();
  for (const { deviceNo, atMs } of sightings) {
    newest.set(deviceNo, Math.max(atMs, newest.get(deviceNo) ?? atMs));
  }
  await sql.upsertMany(
    SEEN,
    [...newest].toSorted(([a], [b]) => a - b),
  );
}

type ReportingTimes = Pick<Presence, 'reportingIntervalMs' | 'offlineDelayMs'>;

export async function insertPresences(
  sql: Sql,
  devices: readonly (ReportingTimes & { readonly deviceNo: number })[],
): Promise<void> {
  const rows = devices.map(({ deviceNo, reportingIntervalMs, offlineDelayMs }) => ({
    deviceNo,
    reportingIntervalMs,
    offlineDelayMs,
  }));
  await insertRowsUnawaited(sql, { table: 'presence' }, rows);
}

/** Records the time, unless a later one is stored; returns whether anything changed. */
export async function recordLinkDown(sql: Sql, deviceNo: number, atMs: number): Promise<boolean> {
  const changed = await sql.run(
    `UPDATE presence SET link_down_at_ms = $2
     WHERE device_no = $1 AND (link_down_at_ms IS NULL OR link_down_at_ms < $2)`,
    [deviceNo, atMs],
  );
  return changed > 0;
}

export type ReportedState = NonNullable<Presence['reportedState']>;

/** A device that reports its state was also seen at that time. */
export async function recordReportedState(
  sql: Sql,
  deviceNo: number,
  state: ReportedState,
  atMs: number,
): Promise<void> {
  await sql.run(
    `UPDATE presence SET reported_state = $2,
       last_seen_at_ms = CASE WHEN last_seen_at_ms > $3 THEN last_seen_at_ms ELSE $3 END
     WHERE device_no = $1`,
    [deviceNo, state, atMs],
  );
}

/** Stores a copy of the reporting times in the configuration. */
export async function saveReportingTimes(
  sql: Sql,
  deviceNo: number,
  { reportingIntervalMs, offlineDelayMs }: ReportingTimes,
): Promise<void> {
  await sql.run(
    'UPDATE presence SET reporting_interval_ms = $2, offline_delay_ms = $3 WHERE device_no = $1',
    [deviceNo, reportingIntervalMs, offlineDelayMs],
  );
}

export async function recordRejections(sql: Sql, rejections: readonly NewRejection[]): Promise<void> {
  const ofDevices = Map.groupBy(rejections, (rejection) => rejection.deviceNo);
  for (const [deviceNo, ofDevice] of [...ofDevices].toSorted(([a], [b]) => a - b)) {
    await sql.run('UPDATE presence SET rejected_count = rejected_count + $2 WHERE device_no = $1', [
      deviceNo,
      ofDevice.length,
    ]);
    for (const rejection of ofDevice.slice(-REJECTIONS_KEPT_MAX)) await insertRejection(sql, rejection);
    await sql.run(
      `DELETE FROM rejections WHERE device_no = $1 AND rejection_no <= (
         SELECT rejection_no FROM rejections WHERE device_no = $1
         ORDER BY rejection_no DESC LIMIT 1 OFFSET $2
       )`,
      [deviceNo, REJECTIONS_KEPT_MAX],
    );
  }
}

async function insertRejection(sql: Sql, rejection: NewRejection): Promise<void> {
  const { deviceNo, receivedAtMs, topic, reason, payload } = rejection;
  await insertRows(sql, { table: 'rejections' }, [
    {
      deviceNo,
      receivedAtMs,
      topic: evidence(topic),
      reason: evidence(reason),
      payload: evidence(payload),
    },
  ]);
}

/** A text in PostgreSQL cannot contain NUL, but the payload of a broken device may. */
const evidence = (text: string): string => text.slice(0, REJECTED_TEXT_CHARS_MAX).replaceAll('\0', '\uFFFD');

export async function readRejections(sql: Sql, deviceNo: number): Promise<StoredRejections> {
  const [count] = await sql.query<{ rejectedCount: number }>(
    'SELECT rejected_count FROM presence WHERE device_no = $1',
    [deviceNo],
  );
  const recent = await sql.query<StoredRejection>(
    `SELECT received_at_ms, topic, reason, payload FROM rejections
     WHERE device_no = $1 ORDER BY rejection_no DESC`,
    [deviceNo],
  );
  return { total: count?.rejectedCount ?? 0, recent };
}
