import type { OperationType, StartWarning } from '@granary/contract/operations';
import type { OperationState } from './state.ts';

/** This many of the newest operations of a silo are read, whatever their type, so that the cost of a plan is limited. */
export const OPERATIONS_FOR_USUAL = 50;

/** With fewer completed operations no amount is usual yet. */
const COMPLETED_MIN = 5;

/** Above this factor an amount is more likely to have a wrong digit or a wrong unit than to be a large order. */
const FAR_ABOVE = 10;

type PastOperation = Pick<OperationState, 'type' | 'status' | 'amountCompletedG'>;

/**
 * The usual amount of an operation of this type in this silo: the median, which one large amount does not change, of
 * completed operations. A stopped operation does not count, because it moved less than was wanted.
 */
export function usualAmountG(type: OperationType, newest: readonly PastOperation[]): number | null {
  const moved = newest
    .filter((one) => one.type === type && one.status === 'completed' && one.amountCompletedG > 0)
    .map(({ amountCompletedG }) => amountCompletedG)
    .sort((one, other) => one - other);
  if (moved.length < COMPLETED_MIN) return null;
  const upper = moved[Math.floor(moved.length / 2)] ?? 0;
  const lower = moved[Math.floor((moved.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}

interface Planned {
  readonly passesThreshold: boolean;
  readonly amountG: number;
  readonly usualG: number | null;
  readonly durationMs: number;
  readonly shiftMs: number;
}

/** The reasons why a person should check this start again. */
export function startWarnings(planned: Planned): StartWarning[] {
  const { passesThreshold, amountG, usualG, durationMs, shiftMs } = planned;
  return [
    ...(passesThreshold ? (['passes_threshold'] as const) : []),
    ...(usualG !== null && amountG > FAR_ABOVE * usualG ? (['far_above_usual'] as const) : []),
    ...(durationMs > shiftMs ? (['longer_than_shift'] as const) : []),
  ];
}
