import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import type { Slot } from '@granary/core/sensors/sensor';
import { type Bucket, byTime, joinParts } from '@granary/core/telemetry/history';
import type { Sql } from '@granary/store/sql';
import { decodeBuckets, encodeBuckets } from './bucket-codec.ts';
import { CHUNKS_PER_SPAN, chunkOf } from './bucket-rows.ts';
import { tryLockChunks } from './chunk-rows.ts';
import type { CompressedPart } from './compress-readings.ts';
import { slotColumns } from './open-bucket-rows.ts';

/** Buckets of a day are not compressed, because they are few. */
const SIZES_MS = [INTERVAL_MS['5m'], INTERVAL_MS['1h']];
/** The limit of rows, which are moved in a few milliseconds: the rows of four days of a device with three sensors. */
const ROWS_MAX = 1_200;
const DEVICES_MAX = 64;
const NUMBERS = ['sum', 'count', 'min', 'max', 'last', 'last_ts_ms', 'bad_count'];

/**
 * Moves the oldest buckets before a time into compressed chunks, those of a few devices at once. Buckets of a span that has a
 * chunk already, because they belong to its later days or because readings arrived late, are added to it. While another node
 * has the lock, nothing is done, and rows are left.
 */
export async function compressBuckets(sql: Sql, beforeMs: number): Promise<CompressedPart> {
  if (!(await tryLockChunks(sql))) return { rows: 0, nextMs: 0 };
  for (const sizeMs of SIZES_MS) {
    const part = await oldestPart(sql, sizeMs, chunkOf(beforeMs, sizeMs));
    if (part !== null) return { rows: await compressPart(sql, part), nextMs: part.startMs };
  }
  return { rows: 0, nextMs: null };
}

/** Whole time chunks of one span, for all sensors of a range of devices. */
interface Part {
  readonly sizeMs: number;
  readonly startMs: number;
  readonly spanNo: number;
  readonly chunks: readonly number[];
  readonly firstDevice: number;
  readonly lastDevice: number;
}

async function oldestPart(sql: Sql, sizeMs: number, beforeChunk: number): Promise<Part | null> {
  const [oldest] = await sql.query<{ timeChunk: number; startMs: number }>(
    `SELECT time_chunk, start_ms FROM buckets WHERE size_ms = $1 AND time_chunk < $2
     ORDER BY size_ms, time_chunk, device_no, sensor_group, start_ms LIMIT 1`,
    [sizeMs, beforeChunk],
  );
  if (oldest === undefined) return null;
  const { timeChunk, startMs } = oldest;
  const spanNo = Math.floor(timeChunk / CHUNKS_PER_SPAN);
  const end = Math.min((spanNo + 1) * CHUNKS_PER_SPAN, beforeChunk);
  const chunks = Array.from({ length: end - timeChunk }, (_, n) => timeChunk + n);
  const devices = await sql.query<{ deviceNo: number; rows: number }>(
    `SELECT device_no, COUNT(*) AS rows FROM buckets WHERE size_ms = $1 AND time_chunk = $2
     GROUP BY device_no ORDER BY device_no LIMIT ${DEVICES_MAX}`,
    [sizeMs, timeChunk],
  );
  let rows = 0;
  // The oldest time chunk tells how many rows a device is likely to have in each of the others.
  const taken = devices.filter((device, n) => {
    rows += Number(device.rows) * chunks.length;
    return n === 0 || rows <= ROWS_MAX;
  });
  const deviceNos = taken.map(({ deviceNo }) => deviceNo);
  const [firstDevice = 0, lastDevice = firstDevice] = [deviceNos[0], deviceNos.at(-1)];
  return { sizeMs, startMs, spanNo, chunks, firstDevice, lastDevice };
}

/** The key of a series, the start of the bucket, and the numbers of the slots. */
type TakenRow = [deviceNo: number, group: number, startMs: number, ...numbers: (number | null)[]];

async function compressPart(sql: Sql, part: Part): Promise<number> {
  const { sizeMs, spanNo, chunks, firstDevice, lastDevice } = part;
  const isOfPart = `size_ms = $1 AND ${sql.isOneOfNumbers('time_chunk', '$2')} AND device_no >= $3 AND device_no <= $4`;
  const parameters = [sizeMs, JSON.stringify(chunks), firstDevice, lastDevice];
  if (!sql.hasOneWriter) {
    // The rows are locked in the order of their keys, as in every other write.
    await sql.run(
      `SELECT COUNT(*) FROM (SELECT 1 FROM buckets WHERE ${isOfPart}
         ORDER BY size_ms, time_chunk, device_no, sensor_group, start_ms FOR UPDATE) AS locked`,
      parameters,
    );
  }
  const columns = slotColumns(NUMBERS).map((name) =>
    name.endsWith('_sum') ? `CAST(${name} AS DOUBLE PRECISION)` : name,
  );
  const rows = await sql.queryArrays<TakenRow>(
    `DELETE FROM buckets WHERE ${isOfPart} RETURNING device_no, sensor_group, start_ms, ${columns.join(', ')}`,
    parameters,
  );
  const stored = await sql.query<{ deviceNo: number; sensorGroup: number; slot: Slot; body: Uint8Array }>(
    `SELECT device_no, sensor_group, slot, body FROM bucket_chunks
     WHERE size_ms = $1 AND span_no = $2 AND device_no >= $3 AND device_no <= $4`,
    [sizeMs, spanNo, firstDevice, lastDevice],
  );
  const bodies = new Map(
    stored.map(({ deviceNo, sensorGroup, slot, body }) => [`${deviceNo} ${sensorGroup} ${slot}`, body]),
  );
  for (const series of Map.groupBy(rows, ([deviceNo, group]) => `${deviceNo} ${group}`).values()) {
    const [deviceNo, group] = series[0] ?? [0, 0];
    for (const slot of [0, 1, 2] as const) {
      const added = series.flatMap((row) => bucketIn(row, slot));
      if (added.length === 0) continue;
      const body = bodies.get(`${deviceNo} ${group} ${slot}`);
      const before = body === undefined ? [] : decodeBuckets(body, sizeMs);
      const buckets = joinParts([...before, ...added].sort(byTime));
      await sql.run(
        `INSERT INTO bucket_chunks (size_ms, span_no, device_no, sensor_group, slot, body)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (size_ms, span_no, device_no, sensor_group, slot) DO UPDATE SET body = excluded.body`,
        [sizeMs, spanNo, deviceNo, group, slot, encodeBuckets(buckets, sizeMs)],
      );
    }
  }
  return rows.length;
}

function bucketIn([, , startMs, ...numbers]: TakenRow, slot: Slot): Bucket[] {
  const [sum = 0, count = 0, min = null, max = null, last = null, lastTsMs = null, badCount = 0] =
    numbers.slice(slot * NUMBERS.length, (slot + 1) * NUMBERS.length);
  const counts = { count: count ?? 0, badCount: badCount ?? 0 };
  if (counts.count === 0 && counts.badCount === 0) return [];
  return [{ startMs, sum: sum ?? 0, min, max, last, lastTsMs, ...counts }];
}
