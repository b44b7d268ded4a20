import type { OperationRecord } from '@granary/contract/operations';
import type { TerminalTraits } from '../../frame/environment.ts';
import { numberText } from '../devices/device-texts.ts';

const BAR_COLUMNS_MAX = 30;
const COLUMNS_DEFAULT = 80;

/** One line for a terminal, cut to its width: a bar, the amounts, and the status in words. */
export function progressText(record: OperationRecord, { columns, isUtf8 }: TerminalTraits): string {
  const width = (columns ?? COLUMNS_DEFAULT) - 1;
  const { progress, amount_completed, amount_target, unit, status } = record;
  const share = Math.min(1, Math.max(0, (progress ?? 0) / 100));
  const amounts =
    amount_target === null
      ? `${numberText(amount_completed)} ${unit}`
      : `${numberText(amount_completed)} of ${numberText(amount_target)} ${unit}`;
  const words = `${Math.round(share * 100)} % ${amounts} ${status}`;
  const barWidth = Math.min(BAR_COLUMNS_MAX, width - words.length - 3);
  if (barWidth < 4) return words.slice(0, width);
  const [full, empty] = isUtf8 ? ['█', '░'] : ['#', '.'];
  const filled = Math.round(share * barWidth);
  return `[${full.repeat(filled)}${empty.repeat(barWidth - filled)}] ${words}`;
}

/** How an operation ended, in one sentence. */
export function outcomeText(record: OperationRecord): string {
  const { operation_id, status, amount_completed, measured_amount, unit, failure } = record;
  const measured = measured_amount === null ? '' : `, ${numberText(measured_amount)} ${unit} measured`;
  const text = `${operation_id} ${status}: ${numberText(amount_completed)} ${unit} reported${measured}`;
  return failure === null ? text : `${text}; ${failure.message}`;
}
