import type { FleetOperation } from '@granary/contract/fleet/records';
import { formatNumber } from '../format/numbers.ts';
import type { Texts } from '../texts/en/texts.ts';

/** What an operation does, such as "Discharge 500 kg into Truck 7". */
export function operationTitle(
  {
    type,
    amount_target,
    unit,
    target_container,
  }: Pick<FleetOperation, 'type' | 'amount_target' | 'unit' | 'target_container'>,
  words: Texts['operations'],
  language: string,
): string {
  const verb = type === null ? words.unknownType : words.types[type];
  const amount =
    amount_target === null
      ? ''
      : ` ${formatNumber(amount_target, amount_target % 1 === 0 ? 0 : 2, language)} ${unit}`;
  return `${verb}${amount}${target_container === null ? '' : ` ${words.into(target_container)}`}`;
}
