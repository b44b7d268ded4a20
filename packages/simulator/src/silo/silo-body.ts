import { type Stocked, weightKgAt } from './weight.ts';

/** The true content of a silo, after regular use, deliveries and operations. */
export interface SiloBody {
  readonly timeMs: number;
  readonly weightKg: number;
}

/** Returns the content at a time. `offsetKg` is the difference from the content by regular use and deliveries alone. */
export function bodyAt(silo: Stocked, timeMs: number, offsetKg = 0): SiloBody {
  return { timeMs, weightKg: within(silo, weightKgAt(silo, timeMs) + offsetKg) };
}

export const offsetKg = (silo: Stocked, { timeMs, weightKg }: SiloBody): number =>
  weightKg - weightKgAt(silo, timeMs);

/** Applies regular use and deliveries until another time, within the limits of empty and full. Bridged material stays. */
export function stepBody(silo: Stocked, body: SiloBody, timeMs: number, isBridged = false): SiloBody {
  const scheduledKg = weightKgAt(silo, timeMs) - weightKgAt(silo, body.timeMs);
  const changeKg = isBridged ? Math.max(0, scheduledKg) : scheduledKg;
  return { timeMs, weightKg: within(silo, body.weightKg + changeKg) };
}

/** Moves material in (positive) or out (negative) until another time; regular use pauses, because there is one gate. */
export const moveMaterial = (silo: Stocked, body: SiloBody, timeMs: number, kg: number): SiloBody => ({
  timeMs,
  weightKg: within(silo, body.weightKg + kg),
});

const within = ({ capacityKg }: Stocked, kg: number): number => Math.min(capacityKg, Math.max(0, kg));
