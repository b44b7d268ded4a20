import type { OperationPlan } from '@granary/contract/operations';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import { operationTitle } from '../../operations/operation-texts.ts';
import { locale, texts } from '../../texts/texts.ts';
import type { NamedThreshold } from '../thresholds.ts';
import { nextThreshold } from './next-threshold.ts';
import type { StartRequest } from './start-input.ts';

interface Props {
  readonly request: StartRequest;
  readonly plan: OperationPlan;
  readonly thresholds: readonly NamedThreshold[];
}

/** What will happen, in one sentence, with what a person should know before it. */
export function PlanSentence({ request: { type, body }, plan, thresholds }: Props) {
  const { devices, operations } = texts.value;
  const { level_before: before, level_after: after, crosses, estimated_duration: minutes, refusal } = plan;
  const percent = (value: number): string => formatValue(value, 'percent', locale.value);
  const next = after === null || crosses.length > 0 ? null : nextThreshold(type, after, thresholds);
  const target = 'target_container' in body ? body.target_container : null;
  const title = operationTitle(
    { type, amount_target: body.amount, unit: body.unit ?? 'kg', target_container: target },
    operations,
    locale.value,
  );
  const rate = `${formatNumber(plan.rate, plan.rate % 1 === 0 ? 0 : 1, locale.value)} ${plan.rate_unit}`;
  const parts = [
    devices.about(formatDuration(Math.max(1, Math.round(minutes * 60)) * 1_000)),
    before === null || after === null
      ? devices.levelUnknown
      : devices.levelChange(percent(before), percent(after)),
    ...(next === null ? [] : [devices.stays[type](next.name, percent(next.value))]),
  ];
  return (
    <>
      {refusal === null ? (
        <p>
          <strong class="free-text">{title}</strong> {devices.atRate(rate)}: {parts.join(', ')}.
        </p>
      ) : (
        <p class="device-start-warning">{devices.wouldRefuse(refusal.message)}</p>
      )}
      {refusal === null &&
        thresholds
          .filter(({ name }) => crosses.some((crossed) => devices.thresholds[crossed] === name))
          .map(({ name, value }) => (
            <p key={name} class="device-start-warning">
              {devices.passes[type](name, percent(value))}
            </p>
          ))}
    </>
  );
}
