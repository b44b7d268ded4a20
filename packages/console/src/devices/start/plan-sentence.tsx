import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatDuration } from '../../format/times.ts';
import { operationTitle } from '../../operations/operation-texts.ts';
import { language, texts } from '../../texts/texts.ts';
import type { Plan } from './plan.ts';
import type { StartRequest } from './start-input.ts';

interface Props {
  readonly request: StartRequest;
  readonly plan: Plan;
}

/** What will happen, in one sentence, with what a person should know before it. */
export function PlanSentence({ request: { type, body }, plan }: Props) {
  const { devices, operations } = texts.value;
  const { levelBefore, levelAfter, crosses, staysWithin, minutes, rateKgPerMin } = plan;
  const percent = (value: number): string => formatValue(value, 'percent', language.value);
  const target = 'target_container' in body ? body.target_container : null;
  const title = operationTitle(
    { type, amount_target: body.amount, unit: body.unit ?? 'kg', target_container: target },
    operations,
    language.value,
  );
  const rate = `${formatNumber(rateKgPerMin, rateKgPerMin % 1 === 0 ? 0 : 1, language.value)} kg/min`;
  const parts = [
    devices.about(formatDuration(Math.max(1, Math.round(minutes * 60)) * 1_000)),
    levelBefore === null || levelAfter === null
      ? devices.levelUnknown
      : devices.levelChange(percent(levelBefore), percent(Math.min(100, levelAfter))),
    ...(staysWithin === null || crosses.length > 0
      ? []
      : [devices.stays[type](staysWithin.name, percent(staysWithin.value))]),
  ];
  return (
    <>
      <p>
        <strong class="free-text">{title}</strong> {devices.atRate(rate)}: {parts.join(', ')}.
      </p>
      {crosses.map(({ name, value }) => (
        <p key={`${name} ${value}`} class="device-start-warning">
          {devices.passes[type](name, percent(value))}
        </p>
      ))}
      {plan.isTooMuch && <p class="device-start-warning">{devices.tooMuch[type]}</p>}
      {plan.isTooFast && <p class="device-start-warning">{devices.tooFast}</p>}
    </>
  );
}
