import { Refusal } from '@granary/contract/errors';
import type { OperationState } from '@granary/core/operations/state';

export function foundOperation(operation: OperationState | undefined): OperationState {
  if (operation !== undefined) return operation;
  throw new Refusal('operation_not_found', 'the device has no operation with this id');
}
