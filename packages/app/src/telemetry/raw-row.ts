import type { ChunkRow } from '@granary/store/chunks/chunk-codec';

/** A row of raw readings. */
export type RawRow = ChunkRow;

/** The place of a row in the order of the table. */
export interface RawPosition {
  readonly tsMs: number;
  readonly deviceNo: number;
  readonly group: number;
}

export const positionOf = ([tsMs, deviceNo, group]: RawRow): RawPosition => ({ tsMs, deviceNo, group });

/** Precedes every row of a time. */
export const beforeTime = (tsMs: number): RawPosition => ({ tsMs, deviceNo: -1, group: -1 });

const compareRows = (one: RawRow, other: RawRow): number =>
  one[0] - other[0] || one[1] - other[1] || one[2] - other[2];

/** The rows that a statement returned in any order. */
export const inOrder = (rows: readonly RawRow[]): RawRow[] => rows.toSorted(compareRows);

export const comparePositions = (one: RawPosition, other: RawPosition): number =>
  one.tsMs - other.tsMs || one.deviceNo - other.deviceNo || one.group - other.group;

/** Merges two ordered lists. Of two rows with the same key the values of the first list count; the second fills its gaps. */
export function joinRows(first: readonly RawRow[], second: readonly RawRow[]): RawRow[] {
  const joined: RawRow[] = [];
  let next = 0;
  for (const row of first) {
    let other = second[next];
    while (other !== undefined && compareRows(other, row) < 0) {
      joined.push(other);
      other = second[++next];
    }
    if (other === undefined || compareRows(other, row) > 0) joined.push(row);
    else {
      joined.push(filledFrom(row, other));
      next++;
    }
  }
  return joined.concat(second.slice(next));
}

const LANES = [3, 4, 5] as const;

function filledFrom(row: RawRow, other: RawRow): RawRow {
  const filled = [...row] as { -readonly [K in keyof RawRow]: RawRow[K] };
  for (const [slot, lane] of LANES.entries()) {
    if (row[lane] !== null || other[lane] === null) continue;
    filled[lane] = other[lane];
    const bad = (other[6] ?? 0) & (1 << slot);
    if (bad !== 0) filled[6] = (filled[6] ?? 0) | bad;
  }
  return filled;
}
