import type { OperationRecord } from '@granary/contract/operations';
import type { TerminalTraits } from '../../frame/environment.ts';
import { progressBar } from '../../terminal/progress-bar.ts';
import { numberText } from '../devices/device-texts.ts';

/** One line for a terminal, cut to its width: a bar, the amounts, and the status in words. */
export function progressText(record: OperationRecord, terminal: TerminalTraits): string {
  const { progress, amount_completed, amount_target, unit, status } = record;
  const share = Math.min(1, Math.max(0, (progress ?? 0) / 100));
  const amounts =
    amount_target === null
      ? `${numberText(amount_completed)} ${unit}`
      : `${numberText(amount_completed)} of ${numberText(amount_target)} ${unit}`;
  return progressBar(share, `${Math.round(share * 100)} % ${amounts} ${status}`, terminal);
}

/** How an operation ended, in one sentence. */
export function outcomeText(record: OperationRecord): string {
  const { operation_id, status, amount_completed, measured_amount, unit, failure } = record;
  const measured = measured_amount === null ? '' : `, ${numberText(measured_amount)} ${unit} measured`;
  const text = `${operation_id} ${status}: ${numberText(amount_completed)} ${unit} reported${measured}`;
  return failure === null ? text : `${text}; ${failure.message}`;
}
