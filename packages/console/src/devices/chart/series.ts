import type { HistoryPoint } from '@granary/contract/telemetry/telemetry';

/** One interval of a sensor; the time is its middle. */
export interface Bucket {
  readonly atMs: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

export interface SensorSeries {
  readonly buckets: readonly Bucket[];
  /** Points that are further apart are not connected. */
  readonly gapMs: number;
}

/** `null` breaks a line, and `undefined` means that this sensor has no point there. */
export type Column = readonly (number | null | undefined)[];

export interface ChartTable {
  /** The times in seconds. */
  readonly times: readonly number[];
  /** Mean, minimum and maximum of each sensor. */
  readonly columns: readonly (readonly [mean: Column, min: Column, max: Column])[];
}

/** The points of all sensors over one time axis, with a break in each gap. */
export function tableOf(series: readonly SensorSeries[]): ChartTable {
  const withGaps = series.map(({ buckets, gapMs }) => breaksOf(buckets, gapMs));
  const times = [
    ...new Set(
      series.flatMap(({ buckets }, index) => [
        ...buckets.map(({ atMs }) => atMs),
        ...(withGaps[index] ?? []),
      ]),
    ),
  ].sort((one, other) => one - other);
  const columns = series.map(({ buckets }, index) => {
    const at = new Map<number, Bucket | null>(buckets.map((bucket) => [bucket.atMs, bucket]));
    for (const breakMs of withGaps[index] ?? []) at.set(breakMs, null);
    const column = (value: (bucket: Bucket) => number): Column =>
      times.map((time) => {
        const bucket = at.get(time);
        return bucket ? value(bucket) : bucket;
      });
    return [column(({ mean }) => mean), column(({ min }) => min), column(({ max }) => max)] as const;
  });
  return { times: times.map((ms) => ms / 1_000), columns };
}

function breaksOf(buckets: readonly Bucket[], gapMs: number): number[] {
  return buckets.flatMap((bucket, index) => {
    const next = buckets[index + 1];
    return next !== undefined && next.atMs - bucket.atMs > gapMs ? [bucket.atMs + gapMs / 2] : [];
  });
}

/** Points without a neighbour on either side, which no line shows. */
export function isolatedIndexes(column: Column): number[] {
  const present = column.flatMap((value, index) => (value === undefined ? [] : [{ value, index }]));
  return present
    .filter(
      ({ value }, place) =>
        value !== null &&
        (present[place - 1]?.value ?? null) === null &&
        (present[place + 1]?.value ?? null) === null,
    )
    .map(({ index }) => index);
}

export const bucketsOf = (points: readonly HistoryPoint[], intervalMs: number): Bucket[] =>
  points.map(({ timestamp, value, min = value, max = value }) => ({
    atMs: Date.parse(timestamp) + intervalMs / 2,
    mean: value,
    min,
    max,
  }));
