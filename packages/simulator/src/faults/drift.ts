import { HOUR_MS } from '@granary/contract/time';
import type { SiloReading } from '../silo/scale.ts';
import type { ReadingFault } from './reading-fault.ts';

const DRIFT_KG_PER_HOUR = 60;

/** The weight of a drifting load cell is increasingly too high. */
export function createDrift(): ReadingFault<SiloReading> {
  let sinceMs: number | undefined;
  return (reading) => {
    sinceMs ??= reading.ts;
    const driftKg = (DRIFT_KG_PER_HOUR * (reading.ts - sinceMs)) / HOUR_MS;
    return [{ ...reading, weight: Number((reading.weight + driftKg).toFixed(3)) }];
  };
}
