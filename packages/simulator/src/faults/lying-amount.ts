import type { OperationProgress } from '@granary/contract/link/messages';

const EXAGGERATION_FACTOR = 1.2;

export const exaggerated = (progress: OperationProgress): OperationProgress => ({
  ...progress,
  amount_kg: Number((progress.amount_kg * EXAGGERATION_FACTOR).toFixed(3)),
});
