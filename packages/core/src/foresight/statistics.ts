import { quantileOf, sorted } from './robust.ts';

/** Robust figures of short series. Values that are not finite are left out; without any value the answer is `null`. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function quantile(values: readonly number[], share: number): number | null {
  const inOrder = sorted(values.filter(Number.isFinite));
  return inOrder.length === 0 ? null : quantileOf(inOrder, clamp(share, 0, 1));
}

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);

/** The slope of the line through each pair of points. */
export const pairSlopes = (points: readonly Point[]): number[] =>
  points
    .flatMap((from, index) => points.slice(index + 1).map((to) => (to.y - from.y) / (to.x - from.x)))
    .filter(Number.isFinite);

/** The slope that half of all pairs of points exceed (Theil–Sen); it stays right if a quarter of the points are wrong. */
export const medianSlope = (points: readonly Point[]): number | null => median(pairSlopes(points));

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

export const clamp = (value: number, min: number, max: number): number =>
  Math.min(Math.max(Number.isNaN(value) ? min : value, min), max);
