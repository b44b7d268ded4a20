import type { OperationProgress } from '@granary/contract/link/messages';
import {
  type ActiveFaults,
  COMMON_FAULTS,
  createDrift,
  createReadingFault,
  JOB_FAULTS,
  type ReadingFault,
} from '../faults.ts';
import type { SiloReading } from './scale.ts';

export const SILO_FAULTS = {
  ...COMMON_FAULTS,
  ...JOB_FAULTS,
  bridging:
    'material bridges above the outlet: use stops, and a discharge moves nothing beyond half of its amount',
  leak: 'one percent of the capacity is lost in an hour',
  drift: 'the measured weight rises by 60 kg an hour',
  'hot-spot':
    'the middle of the temperature cable of silo-07 and silo-12 gets warmer by 4 °C a minute, by 30 °C at most',
  stall: 'no material moves beyond half of the amount, and the operation is still reported as running',
  'lying-amount': 'the reported amount is a fifth larger than the moved one',
} as const;

export type SiloFault = keyof typeof SILO_FAULTS;

/** The share of the capacity that is lost in an hour. */
export const LEAK_SHARE_PER_HOUR = 0.01;
const DRIFT_KG_PER_HOUR = 60;
const EXAGGERATION_FACTOR = 1.2;
const HOT_SPOT_C_PER_HOUR = 240;
const HOT_SPOT_C_MAX = 30;
/** Grain conducts heat badly, so the points beside the hot spot get less of it. */
const HOT_SPOT_SHARES: Readonly<Record<string, number>> = { temp_5: 0.4, temp_6: 1, temp_7: 0.4 };

export function createSiloReadingFault(faults: ActiveFaults<SiloFault>): ReadingFault<SiloReading> {
  const ofProfile: ReadingFault<SiloReading>[] = [];
  if (faults.has('drift')) ofProfile.push(createDrift(heavier));
  if (faults.has('hot-spot')) ofProfile.push(createDrift(hotter));
  return createReadingFault(faults, ofProfile);
}

const heavier = (reading: SiloReading, hours: number): SiloReading => ({
  ...reading,
  weight: Number((reading.weight + DRIFT_KG_PER_HOUR * hours).toFixed(3)),
});

function hotter({ sensors, ...reading }: SiloReading, hours: number): SiloReading {
  if (sensors === undefined) return reading;
  const rise = Math.min(HOT_SPOT_C_MAX, HOT_SPOT_C_PER_HOUR * hours);
  const heated = Object.entries(sensors).map(([sensorId, celsius]) => [
    sensorId,
    Number((celsius + rise * (HOT_SPOT_SHARES[sensorId] ?? 0)).toFixed(1)),
  ]);
  return { ...reading, sensors: Object.fromEntries(heated) };
}

export const exaggerated = (progress: OperationProgress): OperationProgress => ({
  ...progress,
  amount_kg: Number((progress.amount_kg * EXAGGERATION_FACTOR).toFixed(3)),
});
