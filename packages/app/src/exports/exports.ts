import type { ProfileName } from '@granary/contract/profiles/profiles';
import { DAY_MS } from '@granary/contract/time';
import { MISSED_REPORTS_MAX } from '@granary/core/devices/status';
import { decodeChunk } from '@granary/store/chunks/chunk-codec';
import type { Sql } from '@granary/store/sql';
import { type DeviceSelection, Parameters } from '../conditions.ts';
import type { StoredDevice } from '../device-rows.ts';
import { listDevicesOfFleet } from '../fleet/device-list.ts';
import { bucketBounds } from '../telemetry/bucket-rows.ts';
import { endOfFirstChunkFrom, firstChunkFrom, type ReadingChunk } from '../telemetry/chunk-rows.ts';
import {
  beforeTime,
  comparePositions,
  joinRows,
  positionOf,
  type RawPosition,
  type RawRow,
} from '../telemetry/raw-row.ts';
import { readingsIn } from '../telemetry/reading-rows.ts';

/** The number of decoded chunks that are kept: an export reads a chunk in many pages, and a few exports may run at once. */
const CHUNKS_KEPT_MAX = 4;
const KEPT = new WeakMap<Sql, Map<string, readonly RawRow[]>>();
const KEY = 'ts_ms, device_no';
/** A group that comes after every group of a device and time. */
const LAST_GROUP = Number.MAX_SAFE_INTEGER;

export interface RawPageRequest {
  /** The page begins with the row after this place. */
  readonly after: RawPosition;
  readonly toMs: number;
  /** The selected devices; `null` selects all of them. */
  readonly deviceNos: readonly number[] | null;
  /** The selected sensor groups; `null` selects all of them. */
  readonly groups: readonly number[] | null;
  readonly rowsMax: number;
  /** How many rows of any device one page may look at, so that its time is limited also if it finds nothing. */
  readonly scannedMax: number;
}

export interface RawPage {
  readonly rows: readonly RawRow[];
  /** The place after which the next page begins; `null` after the last row of the range. */
  readonly next: RawPosition | null;
}

/**
 * Reads the next rows in the order of time, from the table and from chunks. The table is read before the chunk: rows that are
 * moved into a chunk meanwhile are then found twice and count once, but are never missed.
 */
export async function readRawPage(sql: Sql, page: RawPageRequest): Promise<RawPage> {
  const chunkEndMs = await endOfFirstChunkFrom(sql, page.after.tsMs);
  const toMs = Math.min(page.toMs, chunkEndMs === null ? page.toMs : chunkEndMs + 1);
  const plain = await readPlainPage(sql, { ...page, toMs });
  const next = plain.next ?? (toMs < page.toMs ? beforeTime(toMs) : null);
  const chunk = await firstChunkFrom(sql, page.after.tsMs);
  const isInPage =
    chunk !== undefined && chunk.firstMs < page.toMs && chunk.firstMs <= (next?.tsMs ?? page.toMs);
  return isInPage ? joinPages(page, pageOfChunk(sql, chunk, page), { ...plain, next }) : { ...plain, next };
}

function pageOfChunk(sql: Sql, chunk: ReadingChunk, page: RawPageRequest): RawPage {
  const { after, toMs, rowsMax } = page;
  const wanted = rowsOfChunk(sql, chunk, page);
  const start = firstAfter(wanted, after);
  const rows = wanted.slice(start, start + rowsMax).filter(([tsMs]) => tsMs < toMs);
  const last = rows.at(-1);
  if (rows.length === rowsMax && last !== undefined) return { rows, next: positionOf(last) };
  return { rows, next: chunk.lastMs + 1 < toMs ? beforeTime(chunk.lastMs + 1) : null };
}

/** Each page has all rows of its kind up to its own end, so the joined page ends at the earlier end. */
function joinPages({ rowsMax }: RawPageRequest, chunk: RawPage, plain: RawPage): RawPage {
  const end = earlier(chunk.next, plain.next);
  const isInside = (row: RawRow): boolean => end === null || comparePositions(positionOf(row), end) <= 0;
  const joined = joinRows(chunk.rows.filter(isInside), plain.rows.filter(isInside));
  const rows = joined.slice(0, rowsMax);
  const last = rows.at(-1);
  return { rows, next: joined.length > rowsMax && last !== undefined ? positionOf(last) : end };
}

function earlier(one: RawPosition | null, other: RawPosition | null): RawPosition | null {
  if (one === null || other === null) return one ?? other;
  return comparePositions(one, other) < 0 ? one : other;
}

/** Finds the first row after a place; the rows are ordered. */
function firstAfter(rows: readonly RawRow[], after: RawPosition): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && comparePositions(positionOf(row), after) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Reads the next rows of the table, only those of one day if it has any: for a longer range PostgreSQL plans the partition of
 * every day, which takes longer than reading a page.
 */
async function readPlainPage(sql: Sql, page: RawPageRequest): Promise<RawPage> {
  const dayEndMs = startOfNextDay(page.after.tsMs);
  if (page.toMs <= dayEndMs) return await readPlainRange(sql, page);
  const { rows, next } = await readPlainRange(sql, { ...page, toMs: dayEndMs });
  if (next !== null) return { rows, next };
  return rows.length > 0 ? { rows, next: beforeTime(dayEndMs) } : await readPlainRange(sql, page);
}

const startOfNextDay = (tsMs: number): number => (Math.floor(tsMs / DAY_MS) + 1) * DAY_MS;

/**
 * Reads the next rows of the table. It is ordered by time and not by device, because all devices write at the same time; so the
 * rows of some devices are found by looking at those of all.
 */
async function readPlainRange(sql: Sql, page: RawPageRequest): Promise<RawPage> {
  const { deviceNos, groups, rowsMax } = page;
  const isFiltered = deviceNos !== null || groups !== null;
  const end = isFiltered ? await endOfScan(sql, page) : null;
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = inRange(page, parameters);
  if (end !== null) {
    const endTime = bind(end.tsMs);
    conditions.push(`ts_ms <= ${endTime}`, `(${KEY}) <= (${endTime}, ${bind(end.deviceNo)})`);
  }
  if (deviceNos !== null) conditions.push(sql.isOneOfNumbers('device_no', bind(JSON.stringify(deviceNos))));
  // The first row may be one of which only the last groups are left.
  const rowsRead = rowsMax + 1;
  const stored = await sql.queryArrays<[tsMs: number, deviceNo: number, body: Uint8Array]>(
    `SELECT ${KEY}, body FROM readings
     WHERE ${conditions.join(' AND ')} ORDER BY ${KEY} LIMIT ${bind(rowsRead)}`,
    parameters.values,
  );
  const wantedGroups = groups && new Set(groups);
  const rows: RawRow[] = [];
  for (const one of stored) {
    for (const row of readingsIn(one)) {
      if (wantedGroups?.has(row[2]) === false || comparePositions(positionOf(row), page.after) <= 0) continue;
      rows.push(row);
      if (rows.length === rowsMax) return { rows, next: positionOf(row) };
    }
  }
  const [tsMs, deviceNo] = stored.at(-1) ?? [];
  const isCut = stored.length === rowsRead && tsMs !== undefined && deviceNo !== undefined;
  return { rows, next: isCut ? { tsMs, deviceNo, group: LAST_GROUP } : end };
}

/** The place of the last row that the page may look at; `null` if the range has fewer rows. */
async function endOfScan(sql: Sql, page: RawPageRequest): Promise<RawPosition | null> {
  const parameters = new Parameters();
  const conditions = inRange(page, parameters);
  const [row] = await sql.query<Omit<RawPosition, 'group'>>(
    `SELECT ${KEY} FROM readings WHERE ${conditions.join(' AND ')}
     ORDER BY ${KEY} LIMIT 1 OFFSET ${parameters.bind(page.scannedMax)}`,
    parameters.values,
  );
  return row === undefined ? null : { ...row, group: LAST_GROUP };
}

/** The plain conditions on the time let PostgreSQL leave out the partitions of other days. */
function inRange({ after, toMs }: RawPageRequest, { bind }: Parameters): string[] {
  const fromTime = bind(after.tsMs);
  return [
    `ts_ms >= ${fromTime}`,
    `ts_ms < ${bind(toMs)}`,
    `(${KEY}) >= (${fromTime}, ${bind(after.deviceNo)})`,
  ];
}

/** The selected devices and sensor groups; `null` selects all of them. */
interface WantedRows {
  readonly deviceNos: readonly number[] | null;
  readonly groups: readonly number[] | null;
}

/** The wanted rows of a chunk, in their order. The chunks decoded last are kept with the database handle. */
function rowsOfChunk(
  sql: Sql,
  { chunkNo, body }: ReadingChunk,
  { deviceNos, groups }: WantedRows,
): readonly RawRow[] {
  const kept = KEPT.get(sql) ?? new Map<string, readonly RawRow[]>();
  KEPT.set(sql, kept);
  const name = `${chunkNo} ${JSON.stringify([deviceNos, groups])}`;
  const rows = kept.get(name) ?? decodeChunk(body, isWanted(deviceNos, groups));
  // A map iterates in the order of insertion, so the chunk that was used last is removed last.
  kept.delete(name);
  kept.set(name, rows);
  for (const oldest of kept.keys()) {
    if (kept.size <= CHUNKS_KEPT_MAX) break;
    kept.delete(oldest);
  }
  return rows;
}

function isWanted(deviceNos: readonly number[] | null, groups: readonly number[] | null) {
  const devices = deviceNos && new Set(deviceNos);
  const wantedGroups = groups && new Set(groups);
  return (deviceNo: number, group: number): boolean =>
    devices?.has(deviceNo) !== false && wantedGroups?.has(group) !== false;
}

export interface ExportedDevicesPage {
  readonly devices: DeviceSelection;
  readonly profileName: ProfileName | null;
  readonly afterDeviceId: string | null;
  readonly limit: number;
  readonly nowMs: number;
}

/** Short reads, of which an export makes as many as it needs. */
export const reads = {
  /** Returns the devices in the order of their ids. */
  devices(sql: Sql, { nowMs, ...page }: ExportedDevicesPage): Promise<StoredDevice[]> {
    const clock = { nowMs, missedReportsMax: MISSED_REPORTS_MAX };
    return listDevicesOfFleet(sql, { ...page, clock, status: null, isRemoved: null, texts: null });
  },

  rawPage: readRawPage,

  bucketBounds,
};

export const writes = {};
