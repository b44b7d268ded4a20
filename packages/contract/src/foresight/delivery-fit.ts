import { HOUR_MS } from '../time.ts';

/** A silo is filled up to this share of its capacity. */
export const FULL_PART = 0.97;

export interface LevelAt {
  readonly atMs: number;
  readonly kg: number;
}

export interface DeliveryFit {
  /** The part of the delivery that has room at its time. */
  readonly kg: number;
  /** The time from which all of the delivery has room, not before its own time; `null` if there is none within the given levels. */
  readonly allFromMs: number | null;
}

/**
 * Whether a delivery has room, computed from the levels that are expected if the use before it is low. If there are two
 * levels at one time, such as before and after another delivery, the later one counts.
 */
export function deliveryFit(levels: readonly LevelAt[], capacityKg: number, delivery: LevelAt): DeliveryFit {
  const lastMs = levels.at(-1)?.atMs ?? delivery.atMs;
  const roomAt = (timeMs: number): number => Math.max(0, FULL_PART * capacityKg - levelAt(levels, timeMs));
  const kg = Math.min(delivery.kg, roomAt(delivery.atMs));
  let allFromMs: number | null = null;
  for (let ms = delivery.atMs; allFromMs === null && (ms === delivery.atMs || ms <= lastMs); ms += HOUR_MS) {
    if (roomAt(ms) >= delivery.kg) allFromMs = ms;
  }
  return { kg, allFromMs };
}

function levelAt(levels: readonly LevelAt[], timeMs: number): number {
  const index = levels.findLastIndex(({ atMs }) => atMs <= timeMs);
  const [before, after] = [levels[index] ?? levels[0], levels[index + 1]];
  if (before === undefined) return 0;
  if (index === -1 || after === undefined || after.atMs <= before.atMs) return before.kg;
  return before.kg + ((after.kg - before.kg) * (timeMs - before.atMs)) / (after.atMs - before.atMs);
}
