import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { StoredPlace } from '@granary/core/telemetry/field-readings';
import type { BulkUpsert, NumberRow, Sql } from '@granary/store/sql';

/**
 * The positions of devices. Raw readings are ordered by time, so the track of one device would need a scan of all readings;
 * therefore positions are stored a second time, ordered by time chunk and device. As with buckets, the positions that all
 * devices are adding now share a few pages. This value must never change.
 */
const CHUNK_MS = 5 * MINUTE_MS;

/** The possible time windows of a long track, which shows one position for each window; a chunk is a whole number of each. */
const WINDOWS_MS = [1, 2, 5, 10, 15, 20, 30, 60, 100, 150, 300].map((seconds) => seconds * SECOND_MS);

const KEY = ['time_chunk', 'device_no', 'ts_ms'];
const PLACE = ['latitude', 'longitude', 'altitude'] as const;

const TRACKS: BulkUpsert = {
  table: 'tracks',
  key: KEY,
  columns: [...KEY, ...PLACE],
  // The same reading may arrive in parts.
  update: PLACE.map((channel) => `${channel} = COALESCE(tracks.${channel}, excluded.${channel})`).join(', '),
};

const chunkOf = (tsMs: number): number => Math.floor(tsMs / CHUNK_MS);

export interface TrackRange {
  readonly deviceNo: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/** A position, or a part of one, in stored whole numbers. */
export interface NewPlace {
  readonly deviceNo: number;
  readonly tsMs: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly altitude: number | null;
}

export async function addToTracks(sql: Sql, places: readonly NewPlace[]): Promise<void> {
  const rows = places.map(({ deviceNo, tsMs, latitude, longitude, altitude }) => [
    chunkOf(tsMs),
    deviceNo,
    tsMs,
    latitude,
    longitude,
    altitude,
  ]);
  await sql.upsertMany(TRACKS, rows.sort(byKey));
}

function byKey(a: NumberRow, b: NumberRow): number {
  const differences = KEY.map((_, i) => Number(a[i]) - Number(b[i]));
  return differences.find((difference) => difference !== 0) ?? 0;
}

const IS_PLACE = 'latitude IS NOT NULL AND longitude IS NOT NULL';

/** The query reads chunk by chunk, because a condition on a range of chunks would scan every device in each. */
const IN_RANGE = `
  WITH RECURSIVE wanted(time_chunk) AS (
    SELECT CAST($2 AS BIGINT) UNION ALL SELECT time_chunk + 1 FROM wanted WHERE time_chunk < $3
  )
  SELECT ts_ms, latitude, longitude, altitude FROM wanted CROSS JOIN tracks
  WHERE tracks.time_chunk = wanted.time_chunk AND device_no = $1 AND ts_ms >= $4 AND ts_ms < $5 AND ${IS_PLACE}`;

/**
 * Reads the positions in [from, to), ordered by time. If there are more than `limit`, the last one of each time window is
 * returned, and a window is never longer than a chunk. So the cost depends on the returned points, however often the device
 * reports.
 */
export async function readTrack(sql: Sql, range: TrackRange): Promise<StoredPlace[]> {
  const { deviceNo, limit } = range;
  const { fromMs, toMs } = await withinStored(sql, range);
  if (toMs <= fromMs) return [];
  const few = await sql.query<StoredPlace>(`${IN_RANGE} LIMIT $6`, [
    deviceNo,
    chunkOf(fromMs),
    chunkOf(toMs - 1),
    fromMs,
    toMs,
    limit + 1,
  ]);
  const rows = few.length <= limit ? few : await oneOfEachStretch(sql, { deviceNo, fromMs, toMs, limit });
  return rows.sort((a, b) => a.tsMs - b.tsMs);
}

/** Limits the search to existing chunks, because a caller may ask for all time. */
async function withinStored(
  sql: Sql,
  { fromMs, toMs }: TrackRange,
): Promise<{ fromMs: number; toMs: number }> {
  const [row] = await sql.query<{ oldest: number | null; newest: number | null }>(
    'SELECT (SELECT MIN(time_chunk) FROM tracks) AS oldest, (SELECT MAX(time_chunk) FROM tracks) AS newest',
  );
  const { oldest, newest } = row ?? {};
  if (oldest == null || newest == null) return { fromMs: 0, toMs: 0 };
  return { fromMs: Math.max(fromMs, oldest * CHUNK_MS), toMs: Math.min(toMs, (newest + 1) * CHUNK_MS) };
}

async function oneOfEachStretch(
  sql: Sql,
  { deviceNo, fromMs, toMs, limit }: TrackRange,
): Promise<StoredPlace[]> {
  const startOf = (windowMs: number) => Math.floor(fromMs / windowMs) * windowMs;
  const fits = (windowMs: number) => Math.ceil((toMs - startOf(windowMs)) / windowMs) <= limit;
  const windowMs = WINDOWS_MS.find(fits) ?? CHUNK_MS;
  return await sql.query<StoredPlace>(
    `WITH RECURSIVE windows(start_ms) AS (
       SELECT CAST($2 AS BIGINT) UNION ALL
       SELECT start_ms + CAST($3 AS BIGINT) FROM windows WHERE start_ms + CAST($3 AS BIGINT) < $5
     ), lasts(time_chunk, ts_ms) AS (
       SELECT start_ms / ${CHUNK_MS}, (
         SELECT MAX(ts_ms) FROM tracks
         WHERE time_chunk = start_ms / ${CHUNK_MS} AND device_no = $1 AND ts_ms >= start_ms
           AND ts_ms < start_ms + CAST($3 AS BIGINT) AND ts_ms >= $4 AND ts_ms < $5 AND ${IS_PLACE})
       FROM windows
     )
     SELECT tracks.ts_ms, latitude, longitude, altitude FROM lasts CROSS JOIN tracks
     WHERE tracks.time_chunk = lasts.time_chunk AND device_no = $1 AND tracks.ts_ms = lasts.ts_ms`,
    [deviceNo, startOf(windowMs), windowMs, fromMs, toMs],
  );
}

/** Removes a limited number of positions before a time and returns how many. */
export async function dropTracks(sql: Sql, beforeMs: number, rowsMax: number): Promise<number> {
  const key = KEY.join(', ');
  return await sql.run(
    `DELETE FROM tracks WHERE (${key}) IN (
       SELECT ${key} FROM tracks WHERE time_chunk < $1 ORDER BY ${key} LIMIT $2
     )`,
    [chunkOf(beforeMs), rowsMax],
  );
}
