import type { OperationPlan, OperationPlanRequest } from '@granary/contract/operations';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import { operationTitle } from '../../operations/operation-texts.ts';
import { SeverityMark } from '../../parts/severity-mark.tsx';
import { locale, texts } from '../../texts/texts.ts';
import type { NamedThreshold } from '../thresholds.ts';
import { nextThreshold } from './next-threshold.ts';

interface Props {
  readonly request: OperationPlanRequest;
  readonly plan: OperationPlan;
  readonly thresholds: readonly NamedThreshold[];
}

/** What will happen, in one sentence, with what a person should know before it. */
export function PlanSentence({ request, plan, thresholds }: Props) {
  const { devices, operations } = texts.value;
  const { type, amount, unit = 'kg', target_container = null } = request;
  const { level_before: before, level_after: after, crosses, estimated_duration: minutes, refusal } = plan;
  const percent = (value: number): string => formatValue(value, 'percent', locale.value);
  const next = after === null || crosses.length > 0 ? null : nextThreshold(type, after, thresholds);
  const title = operationTitle(
    { type, amount_target: amount, unit, target_container },
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
        <div class="device-start-refused" role="alert">
          <SeverityMark severity="warning" text={devices.wouldRefuse} />
          <p>{sentenceOf(refusal.message)}</p>
        </div>
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

const sentenceOf = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
