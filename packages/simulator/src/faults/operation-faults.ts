import type { OperationProgress } from '@granary/contract/link';
import { SECOND_MS } from '@granary/contract/time';
import type { Run } from '../controller.ts';

/** How long a silo that is slow to answer keeps silent on an operation it has begun. */
export const SILENCE_MS = 15 * SECOND_MS;

/** Long enough for the service to hear that the operation runs. */
const LINK_LOST_AFTER_MS = 2 * SECOND_MS;
const LIE_FACTOR = 1.2;

export const linkIsLostBy = (run: Run | null): boolean => run !== null && run.elapsedMs >= LINK_LOST_AFTER_MS;

export const exaggerated = (progress: OperationProgress): OperationProgress => ({
  ...progress,
  amount_kg: Number((progress.amount_kg * LIE_FACTOR).toFixed(3)),
});
