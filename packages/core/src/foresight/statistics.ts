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

/** The slope that half of all pairs of points exceed (Theil–Sen); it stays right if a quarter of the points are wrong. */
export function medianSlope(points: readonly Point[]): number | null {
  const slopes: number[] = [];
  for (const [index, from] of points.entries()) {
    for (const to of points.slice(index + 1)) {
      if (to.x !== from.x) slopes.push((to.y - from.y) / (to.x - from.x));
    }
  }
  return median(slopes);
}

export const clamp = (value: number, min: number, max: number): number =>
  Math.min(Math.max(Number.isNaN(value) ? min : value, min), max);
