import type { FleetOperation } from '@granary/contract/fleet/records';
import { callOptions, useConsole, useScope } from '../../console.ts';
import { formatNumber } from '../../format/numbers.ts';
import { withLocalTimes } from '../../format/sentences.ts';
import { formatDuration } from '../../format/times.ts';
import { operationTitle } from '../../operations/operation-texts.ts';
import { StopButton } from '../../operations/stop-button.tsx';
import { Time } from '../../parts/age.tsx';
import { LastKnown, useIsLost } from '../../parts/last-known.tsx';
import { locale, texts } from '../../texts/texts.ts';

interface Props {
  readonly operation: FleetOperation;
  readonly name: string;
}

/** How far an operation is, and its stop. */
export function RunningOperation({ operation, name }: Props) {
  const shared = useConsole();
  const { client, live } = shared;
  const { operations } = texts.value;
  const { device_id, operation_id, progress, status, status_detail, estimated_completion, unit } = operation;
  const { amount_completed, amount_target, measured_amount, started_at } = operation;
  const stop = async (): Promise<void> => {
    const record = await client.operations.stop(device_id, operation_id, callOptions(shared));
    live.site.operations.put({ device_id, ...record });
  };
  const isLost = useIsLost();
  const leftMs =
    estimated_completion === null ? 0 : Date.parse(estimated_completion) - live.site.clock.nowMs.value;
  const amount = (value: number | null): string =>
    value === null ? '–' : `${formatNumber(value, value % 1 === 0 ? 0 : 1, locale.value)} ${unit}`;
  return (
    <div class="device-running">
      <h2 class="free-text">{operationTitle(operation, operations, locale.value)}</h2>
      <p>
        <LastKnown>
          <strong>{operations.statuses[status]}</strong>
          {status === 'in_progress' &&
            leftMs > 0 &&
            !isLost &&
            ` · ${operations.left(formatDuration(leftMs))}`}
        </LastKnown>
      </p>
      <progress max={100} value={progress ?? 0} aria-label={operations.progress}>
        {progress} %
      </progress>
      <p class="device-running-amount">
        <LastKnown>
          {progress !== null && <strong>{Math.round(progress)} %</strong>}{' '}
          {amount_target === null
            ? amount(amount_completed)
            : operations.ofTarget(amount(amount_completed), amount(amount_target))}
        </LastKnown>
      </p>
      <p class="muted">
        {measured_amount !== null && `${operations.measured(amount(measured_amount))} · `}
        {operations.startedAt} <Time at={started_at} />
      </p>
      <p class={`free-text ${isLost ? 'muted' : ''}`}>
        {withLocalTimes(status_detail, live.site.clock.nowMs.peek(), locale.value)}
      </p>
      {useScope('operate') && (
        <StopButton
          of={operation_id}
          stop={stop}
          isRequested={status === 'stopping'}
          label={operations.stopOf(name)}
        />
      )}
    </div>
  );
}
