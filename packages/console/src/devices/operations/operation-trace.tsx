import type { OperationRecord } from '@granary/contract/operations';
import { useConsole } from '../../console.ts';
import { withLocalTimes } from '../../format/sentences.ts';
import { formatDuration } from '../../format/times.ts';
import { nameOf } from '../../operations/jobs.ts';
import { Time } from '../../parts/age.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { locale, texts } from '../../texts/texts.ts';

interface Props {
  readonly deviceId: string;
  readonly operation: OperationRecord;
}

/** The steps of an operation with their times, and how long after the first each one was. */
export function OperationTrace({ deviceId, operation }: Props) {
  const { client, live } = useConsole();
  const { devices, frame } = texts.value;
  const { operation_id, status, status_detail } = operation;
  const { value, failure } = useLoaded(
    (signal) => client.operations.trace(deviceId, operation_id, { signal }),
    [deviceId, operation_id, status, status_detail],
  );
  if (value === undefined) {
    return failure === null ? <p class="muted">{frame.loading}</p> : <Failure of={failure} />;
  }
  const firstMs = Date.parse(value.steps[0]?.at ?? '');
  return (
    <ol class="device-trace" aria-label={devices.trace}>
      {value.steps.map(({ at, step, by, detail }) => (
        <li key={`${step} ${at}`}>
          <span class="device-trace-time">
            <Time at={at} />
            <span class="muted">+{formatDuration(Date.parse(at) - firstMs)}</span>
          </span>
          <span>
            <strong>{devices.steps[step]}</strong>
            {by !== null && <span class="free-text"> · {nameOf(by)}</span>}
            <br />
            <span class="free-text">
              {withLocalTimes(detail, live.site.clock.nowMs.peek(), locale.value)}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}
