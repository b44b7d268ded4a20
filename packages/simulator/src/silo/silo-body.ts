import type { Silo } from '../farm/farm.ts';
import { weightKgAt } from './weight.ts';

/** What really lies in a silo now: its habits, and whatever else moved material in or out. */
export interface SiloBody {
  readonly timeMs: number;
  readonly weightKg: number;
}

/** A silo that its habits alone would not have left as it is holds so much more (or less) than by them. */
export function bodyAt(silo: Silo, timeMs: number, offsetKg = 0): SiloBody {
  return { timeMs, weightKg: within(silo, weightKgAt(silo, timeMs) + offsetKg) };
}

export const offsetKg = (silo: Silo, { timeMs, weightKg }: SiloBody): number =>
  weightKg - weightKgAt(silo, timeMs);

/** Leaves a silo to its habits until another time. They cannot take out what is not there or fill in without room. */
export function stepBody(silo: Silo, body: SiloBody, timeMs: number): SiloBody {
  const habitKg = weightKgAt(silo, timeMs) - weightKgAt(silo, body.timeMs);
  return { timeMs, weightKg: within(silo, body.weightKg + habitKg) };
}

/** Moves material in (positive) or out (negative) until another time. Habits rest meanwhile: there is one gate. */
export const pourInto = (silo: Silo, body: SiloBody, timeMs: number, kg: number): SiloBody => ({
  timeMs,
  weightKg: within(silo, body.weightKg + kg),
});

const within = ({ capacityKg }: Silo, kg: number): number => Math.min(capacityKg, Math.max(0, kg));
