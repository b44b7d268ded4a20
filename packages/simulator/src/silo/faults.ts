import type { OperationProgress } from '@granary/contract/link/messages';
import { type ActiveFaults, COMMON_FAULTS, JOB_FAULTS } from '../faults/faults.ts';
import { createDrift, createReadingFault, type ReadingFault } from '../faults/reading-faults.ts';
import type { SiloReading } from './silo-reading.ts';

export const SILO_FAULTS = {
  ...COMMON_FAULTS,
  ...JOB_FAULTS,
  drift: 'the measured weight rises by 60 kg an hour',
  stall: 'no material moves beyond half of the amount, and the operation is still reported as running',
  'lying-amount': 'the reported amount is a fifth larger than the moved one',
} as const;

export type SiloFault = keyof typeof SILO_FAULTS;

const DRIFT_KG_PER_HOUR = 60;
const EXAGGERATION_FACTOR = 1.2;

export const createSiloReadingFault = (faults: ActiveFaults<SiloFault>): ReadingFault<SiloReading> =>
  createReadingFault(faults, faults.has('drift') ? [createDrift(heavier)] : []);

const heavier = (reading: SiloReading, hours: number): SiloReading => ({
  ...reading,
  weight: Number((reading.weight + DRIFT_KG_PER_HOUR * hours).toFixed(3)),
});

export const exaggerated = (progress: OperationProgress): OperationProgress => ({
  ...progress,
  amount_kg: Number((progress.amount_kg * EXAGGERATION_FACTOR).toFixed(3)),
});
