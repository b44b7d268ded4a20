import { Refusal } from '@granary/contract/errors';
import type { AlertMessage } from '@granary/contract/sentences/alerts';
import { sentence } from '@granary/contract/sentences/codes';
import type { Quantity, Sentence } from '@granary/contract/sentences/sentence';
import { fromGrams } from '../units.ts';
import { quoted } from '../words.ts';
import type { Failure, OperationState } from './state.ts';

/** A mass in the unit of the request. */
export const massOf = (grams: number, plan: OperationState['plan']): Quantity => {
  const unit = plan?.unit ?? 'kg';
  return { value: fromGrams(grams, unit), unit };
};

/** The name of an operation, such as `discharge 300 kg into Cart`. */
export function operationName({ type, plan }: Pick<OperationState, 'type' | 'plan'>): Sentence {
  if (plan === null || type === null) return sentence(`${type ?? 'operation'}_at_device`);
  return sentence(type, { amount: massOf(plan.amountG, plan), target: plan.targetContainer });
}

/** `null` while the device has not reported an amount. */
const movedOrNull = ({ lastProgressTsMs, amountCompletedG, plan }: OperationState): Quantity | null =>
  lastProgressTsMs === null ? null : massOf(amountCompletedG, plan);

/** The alert about an operation that failed. */
export function failedOperation(state: OperationState, { reason, message: why }: Failure): AlertMessage {
  const operation = operationName(state);
  switch (reason) {
    case 'refused':
      return sentence('operation_refused', { operation, why });
    case 'outcome_unknown':
      return sentence('operation_outcome_unknown', { operation, why });
    case 'declared_ended':
      return sentence('operation_declared_ended', { operation, why });
    case 'no_movement':
      return sentence('operation_stalled', { operation, why, moved: movedOrNull(state) });
    case 'overrun':
      return sentence('operation_overran', { operation, why, moved: movedOrNull(state) });
    case 'device_fault':
    case 'not_sent':
      return sentence('operation_broke_off', { operation, why, moved: movedOrNull(state) });
  }
}

export const imbalance = (state: OperationState, measuredG: number, difference: number): AlertMessage =>
  sentence('operation_imbalance', {
    operation: operationName(state),
    reported: massOf(state.amountCompletedG, state.plan),
    measured: massOf(measuredG, state.plan),
    difference,
  });

export const operationInProgress = (underWay: OperationState): Refusal =>
  new Refusal(
    'operation_in_progress',
    sentence('operation_under_way', { operation: operationName(underWay) }),
  );

/** The refusal while an operation has an unreadable record: no list shows this operation, so its id is the only way to stop it. */
export const unreadableInProgress = (operationId: string): Refusal =>
  new Refusal(
    'operation_in_progress',
    sentence('unreadable_operation_under_way', { id: quoted(operationId) }),
  );
