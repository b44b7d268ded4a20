import { MINUTE_MS } from '@granary/contract/time';
import type { Silo } from './farm.ts';
import { weightKgAt } from './weight.ts';

/** What really lies in a silo now: its habits, and whatever else moved material in or out. */
export interface SiloBody {
  readonly timeMs: number;
  readonly weightKg: number;
}

export function restingBody(silo: Silo, timeMs: number): SiloBody {
  return { timeMs, weightKg: weightKgAt(silo, timeMs) };
}

/**
 * Moves a silo to another time, with material flowing in (positive) or out (negative) on the way beside its habits. No
 * flow can take out what is not there or press in what has no room.
 */
export function stepBody(silo: Silo, body: SiloBody, timeMs: number, flowKgPerMin = 0): SiloBody {
  const habitKg = weightKgAt(silo, timeMs) - weightKgAt(silo, body.timeMs);
  const flowKg = (flowKgPerMin * (timeMs - body.timeMs)) / MINUTE_MS;
  const weightKg = Math.min(silo.capacityKg, Math.max(0, body.weightKg + habitKg + flowKg));
  return { timeMs, weightKg };
}
