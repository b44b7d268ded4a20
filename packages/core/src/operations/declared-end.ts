import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import type { RefusalMessage } from '@granary/contract/sentences/refusals';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { type DeclarationInput, declaredEnd, declaredEndMessage } from '../jobs/declared-end.ts';
import { latestPossibleStartMs, type OperationState } from './state.ts';
import { withEnd } from './weighing.ts';

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

/** A person declared the operation ended, and the device has not reported since. */
export const isEndDeclared = ({ failure }: OperationState): boolean => failure?.reason === 'declared_ended';

/** Refuses the declaration of an operation whose outcome is known, or about which something can be done first. */
export function refuseDeclaration(operation: OperationState, nowMs: number): void {
  const why = isEndDeclared(operation) ? null : whyNotDeclarable(operation, nowMs);
  if (why !== null) throw new Refusal('cannot_declare_ended', why);
}

/** A declaration that is refused changes nothing. */
export function declareEnded(
  operation: OperationState,
  declaration: DeclarationInput,
  nowMs: number,
): OperationState {
  if (whyNotDeclarable(operation, nowMs) !== null) return operation;
  const declared = { ...declaredEnd(declaration, nowMs), failureBefore: operation.failure };
  const failure = { reason: 'declared_ended', message: declaredEndMessage(declared) } as const;
  return { ...withEnd(operation, null, nowMs), status: 'failed', failure, declared };
}

/** The operation as it was before its end was declared, apart from its status. */
export const withoutDeclaration = (operation: OperationState): OperationState =>
  isEndDeclared(operation) ? { ...operation, failure: operation.declared?.failureBefore ?? null } : operation;

function whyNotDeclarable(operation: OperationState, nowMs: number): RefusalMessage | null {
  switch (operation.status) {
    case 'completed':
    case 'stopped':
    case 'failed':
      return sentence('operation_has_ended', { status: operation.status });
    case 'started':
    case 'in_progress':
      return sentence('operation_stop_first', { status: operation.status });
    case 'unconfirmed':
    case 'stopping':
      return whyTooEarly(operation, nowMs);
  }
}

function whyTooEarly(operation: OperationState, nowMs: number): RefusalMessage | null {
  const startMs = latestPossibleStartMs(operation);
  if (startMs !== null && nowMs <= startMs) {
    return sentence('operation_may_begin', { until: toIso(startMs) });
  }
  const overdueMs = stopOverdueAtMs(operation);
  return overdueMs === null || nowMs >= overdueMs
    ? null
    : sentence('operation_may_stop', { from: toIso(overdueMs) });
}
