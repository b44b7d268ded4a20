import type { Bucket } from '@granary/core/telemetry/history';
import { decodeColumns, encodeColumns } from '@granary/store/chunks/chunk-codec';

/** Products and sums of whole numbers below this are exact. */
const EXACT_MAX = 2 ** 52;

/**
 * Returns the least sum that `count` values can have. It is left out of a stored sum if that is exact, because the rest is
 * small. It depends only on what is stored beside the sum.
 */
function leastSum(count: number, min: number | null, max: number | null): number {
  if (min === null || max === null) return 0;
  return count * Math.max(Math.abs(min), Math.abs(max)) < EXACT_MAX ? count * min : 0;
}

const difference = (value: number | null, from: number | null): number | null =>
  value === null || from === null ? null : value - from;

const total = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;

/** Encodes the buckets of a sensor, ordered by time. What neighbours have in common takes hardly any space. */
export function encodeBuckets(buckets: readonly Bucket[], sizeMs: number): Uint8Array {
  const column = (value: (bucket: Bucket) => number | null) => buckets.map(value);
  return encodeColumns([
    column(({ startMs }) => startMs / sizeMs),
    column(({ min }) => min),
    column(({ last, min }) => difference(last, min)),
    column(({ max, min }) => difference(max, min)),
    column(({ count }) => count),
    column(({ sum, count, min, max }) => sum - leastSum(count, min, max)),
    column(({ startMs, lastTsMs }) => difference(lastTsMs, startMs)),
    column(({ badCount }) => badCount),
  ]);
}

const ALL_COLUMNS = [0, 1, 2, 3, 4, 5, 6, 7];
const LAST_COLUMNS = [0, 1, 2];

export function decodeBuckets(chunk: Uint8Array, sizeMs: number): Bucket[] {
  const [starts = [], minima = [], lasts = [], ranges = [], counts = [], sums = [], times = [], bad = []] =
    decodeColumns(chunk, ALL_COLUMNS);
  return starts.map((start, n) => {
    const startMs = (start ?? 0) * sizeMs;
    const count = counts[n] ?? 0;
    const min = minima[n] ?? null;
    const max = total(min, ranges[n] ?? null);
    return {
      startMs,
      sum: (sums[n] ?? 0) + leastSum(count, min, max),
      count,
      min,
      max,
      last: total(min, lasts[n] ?? null),
      lastTsMs: total(startMs, times[n] ?? null),
      badCount: bad[n] ?? 0,
    };
  });
}

export interface LastValue {
  readonly startMs: number;
  readonly last: number;
}

/** Returns the last value of each bucket that has a good value. */
export function decodeLastValues(chunk: Uint8Array, sizeMs: number): LastValue[] {
  const [starts = [], minima = [], lasts = []] = decodeColumns(chunk, LAST_COLUMNS);
  return starts.flatMap((start, n) => {
    const last = total(minima[n] ?? null, lasts[n] ?? null);
    return last === null ? [] : [{ startMs: (start ?? 0) * sizeMs, last }];
  });
}
