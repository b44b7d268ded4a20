import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';

/** The time a gate takes to open completely, and to close at the end of the amount. */
const RAMP_MS = 2 * SECOND_MS;

/** The flow of an amount through a gate: a linear ramp up, a constant rate, and a linear ramp down. */
export interface Flow {
  readonly amountKg: number;
  readonly rampMs: number;
  readonly durationMs: number;
  readonly peakKgPerMs: number;
}

/** A small amount has passed before the gate is fully open. */
export function planFlow(amountKg: number, rateKgPerMin: number): Flow {
  const fullKgPerMs = rateKgPerMin / MINUTE_MS;
  const rampMs = Math.min(RAMP_MS, Math.sqrt((amountKg * RAMP_MS) / fullKgPerMs));
  const peakKgPerMs = (fullKgPerMs * rampMs) / RAMP_MS;
  const isFullyOpened = rampMs === RAMP_MS;
  const durationMs = isFullyOpened ? amountKg / fullKgPerMs + RAMP_MS : 2 * rampMs;
  return { amountKg, rampMs, durationMs, peakKgPerMs };
}

/** The amount that has passed after this time; exactly the whole amount at the end. */
export function flowedKg({ amountKg, rampMs, durationMs, peakKgPerMs }: Flow, afterMs: number): number {
  const remainingMs = durationMs - afterMs;
  if (remainingMs <= 0) return amountKg;
  if (afterMs <= rampMs) return (peakKgPerMs * afterMs ** 2) / (2 * rampMs);
  if (remainingMs <= rampMs) return amountKg - (peakKgPerMs * remainingMs ** 2) / (2 * rampMs);
  return peakKgPerMs * (afterMs - rampMs / 2);
}
