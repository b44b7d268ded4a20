import { SECOND_MS } from '@granary/contract/time';
import type { OperationState } from './state.ts';

/** Long enough for a gate to close and for the device to report; after this time an unconfirmed stop raises an alert. */
export const STOP_CONFIRMATION_MS_MAX = 15 * SECOND_MS;

/** When an unconfirmed stop is overdue; `null` for an operation that is not being stopped. */
export function stopOverdueAtMs(
  { status, stopRequestedAtMs, startedAtMs, reopenedAtMs }: OperationState,
  observedSinceMs = 0,
): number | null {
  if (status !== 'stopping') return null;
  const sinceMs = Math.max(stopRequestedAtMs ?? startedAtMs, reopenedAtMs ?? 0, observedSinceMs);
  return sinceMs + STOP_CONFIRMATION_MS_MAX;
}
