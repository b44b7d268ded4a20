import { decodeChunk } from '../../chunks/chunk-codec.ts';
import type { Sql } from '../../sql.ts';
import type { RawRow } from './raw-row.ts';
import type { ReadingChunk } from './reading-chunks.ts';

/** `null`: every one. */
export interface WantedRows {
  readonly deviceNos: readonly number[] | null;
  readonly groups: readonly number[] | null;
}

/** An export reads a chunk in many pages, and a few exports may run at once. */
const CHUNKS_KEPT_MAX = 4;

const KEPT = new WeakMap<Sql, Map<string, readonly RawRow[]>>();

/** The wanted rows of a chunk, in their order. The chunks decoded last are kept with the database handle. */
export function rowsOfChunk(
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
