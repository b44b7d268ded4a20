import { HOUR_MS } from '@granary/contract/time';
import { HOURS_PER_DAY } from './local-calendar.ts';
import type { Weights } from './refills.ts';
import { medianOf, rounded } from './robust.ts';
import type { LedgerTail, Refill } from './types.ts';

/** If the nearest weights are further away than this, the level at a time is only estimated. */
const ESTIMATED_MS = 4.5 * HOUR_MS;

/** The medians of the weights of each hour of UTC, without the refills of the same hour. */
export interface Hours {
  readonly fromMs: number;
  readonly kg: (number | null)[];
}

/** The mean use per millisecond in the 24 hours before a time, or in the known part of them. */
export function usePerMs(hours: Hours, refills: readonly Refill[], timeMs: number): number {
  const last = nearest(hours, indexOf(hours, timeMs) - 1, -1);
  if (last === null) return 0;
  const first = nearest(hours, Math.max(0, last - HOURS_PER_DAY), 1);
  if (first === null || last - first < 6) return 0;
  return Math.max(0, usedBetween(hours, refills, first, last)) / ((last - first) * HOUR_MS);
}

export const floorHour = (timeMs: number): number => Math.floor(timeMs / HOUR_MS) * HOUR_MS;
export const indexOf = (hours: Hours, timeMs: number): number =>
  Math.floor((timeMs - hours.fromMs) / HOUR_MS);

export function startHours(before: LedgerTail | null, weights: Weights): Hours {
  if (before !== null) {
    const count = Math.max(0, (before.readFromMs - before.hoursFromMs) / HOUR_MS);
    return { fromMs: before.hoursFromMs, kg: before.hours.slice(0, count) };
  }
  return { fromMs: floorHour(weights.atMs[0] ?? 0), kg: [] };
}

/** Enters the medians of the hours that begin from `readFromMs` on and end before `untilMs`. */
export function fillHours(
  hours: Hours,
  weights: Weights,
  refills: readonly Refill[],
  readFromMs: number,
  untilMs: number,
): void {
  const { atMs, kg } = weights;
  const nextMs = hours.fromMs + hours.kg.length * HOUR_MS;
  let index = firstAtOrAfter(atMs, Math.max(nextMs, readFromMs));
  while (index < atMs.length) {
    const startMs = floorHour(atMs[index] ?? 0);
    if (startMs + HOUR_MS > untilMs) return;
    const near = refills.filter(({ toMs }) => toMs > startMs);
    const values: number[] = [];
    while (index < atMs.length && (atMs[index] ?? 0) < startMs + HOUR_MS) {
      const timeMs = atMs[index] ?? 0;
      let value = kg[index] ?? 0;
      let isFilling = false;
      for (const refill of near) {
        if (timeMs >= refill.toMs) value -= refill.kg;
        else if (timeMs > refill.fromMs) isFilling = true;
      }
      if (!isFilling) values.push(value);
      index += 1;
    }
    const at = indexOf(hours, startMs);
    while (hours.kg.length < at) hours.kg.push(null);
    if (hours.kg.length === at) hours.kg.push(values.length === 0 ? null : rounded(medianOf(values), 2));
  }
}

export function firstAtOrAfter(atMs: readonly number[], timeMs: number): number {
  let [low, high] = [-1, atMs.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((atMs[middle] ?? 0) >= timeMs) high = middle;
    else low = middle;
  }
  return high;
}

/** The next hour with weights, from `index` on in this direction. */
export function nearest(hours: Hours, index: number, direction: 1 | -1): number | null {
  let at = direction === 1 ? Math.max(index, 0) : Math.min(index, hours.kg.length - 1);
  while (at >= 0 && at < hours.kg.length) {
    if (hours.kg[at] !== null) return at;
    at += direction;
  }
  return null;
}

/** The amount that left the silo between two hours, both of which have weights. */
function usedBetween(hours: Hours, refills: readonly Refill[], from: number, to: number): number {
  const [fromMs, toMs] = [hours.fromMs + from * HOUR_MS, hours.fromMs + to * HOUR_MS];
  let kg = (hours.kg[from] ?? 0) - (hours.kg[to] ?? 0);
  for (const refill of refills) if (refill.toMs > fromMs && refill.toMs <= toMs) kg += refill.kg;
  return kg;
}

/** The level at a time, as a weighted mean of hours. */
export interface Boundary {
  readonly parts: readonly { readonly hour: number; readonly weight: number }[];
  readonly isEstimated: boolean;
}

/**
 * The mean of the hours around the time, in which the use before and after it cancels out; if an hour is missing, a line
 * between the nearest hours.
 */
export function boundaryAt(hours: Hours, timeMs: number, aroundMs: number): Boundary | null {
  const first = Math.ceil((timeMs - aroundMs - hours.fromMs) / HOUR_MS);
  const count = Math.round((2 * aroundMs) / HOUR_MS);
  const around: number[] = [];
  for (let hour = first; hour < first + count; hour += 1)
    if (hour >= 0 && typeof hours.kg[hour] === 'number') around.push(hour);
  if (around.length === count)
    return { parts: around.map((hour) => ({ hour, weight: 1 / count })), isEstimated: false };
  const middle = (timeMs - hours.fromMs) / HOUR_MS - 0.5;
  const left = nearest(hours, Math.floor(middle), -1);
  const right = nearest(hours, Math.floor(middle) + 1, 1);
  if (left === null || right === null) return null;
  const share = (middle - left) / (right - left);
  const parts = [
    { hour: left, weight: 1 - share },
    { hour: right, weight: share },
  ];
  return { parts, isEstimated: Math.max(middle - left, right - middle) * HOUR_MS > ESTIMATED_MS };
}

export function usedBetweenBoundaries(
  hours: Hours,
  refills: readonly Refill[],
  from: Boundary,
  to: Boundary,
): number {
  const reference = Math.min(...from.parts.map(({ hour }) => hour));
  const usedUntil = ({ parts }: Boundary): number =>
    parts.reduce((kg, { hour, weight }) => kg + weight * usedBetween(hours, refills, reference, hour), 0);
  return usedUntil(to) - usedUntil(from);
}

export function usePerHour(hours: Hours, refills: readonly Refill[], startMs: number): number[] {
  const use: number[] = [];
  let from = boundaryAt(hours, startMs, HOUR_MS);
  for (let hour = 1; hour <= HOURS_PER_DAY; hour += 1) {
    const to = boundaryAt(hours, startMs + hour * HOUR_MS, HOUR_MS);
    use.push(from === null || to === null ? 0 : usedBetweenBoundaries(hours, refills, from, to));
    from = to;
  }
  return use;
}
