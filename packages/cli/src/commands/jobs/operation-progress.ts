import type { OperationRecord } from '@granary/contract/operations';
import type { TerminalTraits } from '../../frame/environment.ts';
import { progressBar } from '../../terminal/progress.ts';
import { messageText } from '../../terminal/sentences.ts';
import { capitalized } from '../../terminal/text.ts';
import { numberText } from '../devices/device-texts.ts';

/** One line for a terminal, cut to its width: a bar, the amounts, and the status in words. */
export function progressText(record: OperationRecord, terminal: TerminalTraits): string {
  const { progress, amount_completed, amount_target, unit, status } = record;
  const share = Math.min(1, Math.max(0, (progress ?? 0) / 100));
  const done = amount_completed === null ? 'unknown' : numberText(amount_completed);
  const amounts =
    amount_target === null ? `${done} ${unit}` : `${done} of ${numberText(amount_target)} ${unit}`;
  return progressBar(share, `${Math.round(share * 100)} % ${amounts} ${status}`, terminal);
}

interface Named {
  readonly type: OperationRecord['type'];
  readonly amount: number | null;
  readonly unit: string;
  readonly container?: string | null | undefined;
}

/** What an operation is called, such as `Discharge 300 kg into Cart`. */
export function operationTitle({ type, amount, unit, container }: Named): string {
  const kind = capitalized(type ?? 'operation');
  const into = container === undefined || container === null ? '' : ` into ${container}`;
  return `${kind}${amount === null ? '' : ` ${numberText(amount)} ${unit}`}${into}`;
}

export const titleOf = ({ type, amount_target, unit, target_container }: OperationRecord): string =>
  operationTitle({ type, amount: amount_target, unit, container: target_container });

/** How an operation ended, in one sentence. */
export function outcomeText(record: OperationRecord): string {
  const { status, amount_completed, measured_amount, unit, failure } = record;
  const measured = measured_amount === null ? '' : `, ${numberText(measured_amount)} ${unit} measured`;
  const reported =
    amount_completed === null
      ? 'moved amount not reported'
      : `${numberText(amount_completed)} ${unit} reported`;
  const text = `${titleOf(record)} ${status}: ${reported}${measured}`;
  return failure === null ? text : `${text}; ${messageText(failure)}`;
}
