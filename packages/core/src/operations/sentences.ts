import { Refusal } from '@granary/contract/errors';
import type { OperationFailure } from '@granary/contract/operations';
import type { NotSentReason } from '../jobs/polling.ts';
import { fromGrams } from '../units.ts';
import { capitalized, quoted } from '../words.ts';
import type { OperationState } from './state.ts';

/** A mass in the unit of the request. */
export const massText = (grams: number, plan: OperationState['plan']): string => {
  const unit = plan?.unit ?? 'kg';
  return `${fromGrams(grams, unit)} ${unit}`;
};

/** What an operation is called, such as `Discharge 300 kg into Cart`. */
export function operationName({ type, plan }: Pick<OperationState, 'type' | 'plan'>): string {
  const kind = type === null ? 'Operation' : capitalized(type);
  if (plan === null) return `${kind} begun at the device`;
  const into = plan.targetContainer === null ? '' : ` into ${plan.targetContainer}`;
  return `${kind} ${massText(plan.amountG, plan)}${into}`;
}

/** ` at 150 kg`; nothing while the device has not reported an amount. */
const atAmount = ({ lastProgressTsMs, amountCompletedG, plan }: OperationState): string =>
  lastProgressTsMs === null ? '' : ` at ${massText(amountCompletedG, plan)}`;

const NOT_SENT_BECAUSE: Record<NotSentReason, string> = {
  not_connected: 'the device is not connected',
  not_subscribed: 'the device is connected, but does not listen for commands',
  expired: 'it could not be sent in time',
  in_flight: 'another message to the device was in the way',
};

export const notSentMessage = (why: NotSentReason): string =>
  `the start was not sent, so nothing moved: ${NOT_SENT_BECAUSE[why]}`;

/** The text of the alert about an operation that failed. */
export function failedText(operation: OperationState, { reason, message }: OperationFailure): string {
  const name = operationName(operation);
  switch (reason) {
    case 'no_movement':
      return `${name} stalled${atAmount(operation)}: ${message}`;
    case 'overrun':
      return `${name} did not end in time${atAmount(operation)}: ${message}`;
    case 'refused':
      return `${name} was refused by the device, so nothing moved: ${message}`;
    case 'outcome_unknown':
      return `${name} ended without a known outcome: ${message}`;
    case 'declared_ended':
      return `${name} was ${message}`;
    case 'device_fault':
    case 'not_sent':
      return `${name} failed${atAmount(operation)}: ${message}`;
  }
}

export const unconfirmedStopText = (operation: OperationState): string =>
  `${operationName(operation)}: the device has not confirmed the stop, so it may still be moving; the stop is repeated until it does`;

export const unaskedText = ({ type }: OperationState): string =>
  `${type === null ? 'An operation' : `A ${type}`} was started at the device, not through this service`;

export const imbalanceText = (
  operation: OperationState,
  measuredG: number,
  differencePercent: number,
): string => {
  const { amountCompletedG, plan } = operation;
  const figures = `the device reported ${massText(amountCompletedG, plan)}, the scale shows ${massText(measuredG, plan)}`;
  return `${operationName(operation)}: ${figures}, a difference of ${differencePercent} %`;
};

export const operationInProgress = (underWay: OperationState): Refusal =>
  new Refusal(
    'operation_in_progress',
    `${operationName(underWay)} is under way on this device; wait for its end, or stop it`,
  );

/** No list shows an operation whose record cannot be read, so its id is the only way to stop it. */
export const unreadableInProgress = (operationId: string): Refusal =>
  new Refusal(
    'operation_in_progress',
    `an operation whose record cannot be read occupies this device; stop it at the device, or by its id ${quoted(operationId)}`,
  );
