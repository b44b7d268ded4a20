import type { PredictedEmptyInput, PredictedEmptyState } from './types.ts';

export const NO_PREDICTED_EMPTY: PredictedEmptyState = {
  streak: 0,
  severity: null,
  cycleMs: null,
  raised: false,
};

/** The condition `predicted_empty` after a new forecast: `severity` of the answer is that of the alert, `null` for none. */
export function predictedEmpty(_input: PredictedEmptyInput): PredictedEmptyState {
  throw new Error('follows');
}
