import './start.css';
import type { FleetDevice, FleetOperation } from '@granary/contract/fleet';
import type { OperationRecord } from '@granary/contract/operations';
import type { Signal } from '@preact/signals';
import { useConsole, useIsLost, useScope, whyNotOperate } from '../../context/console.ts';
import { addressOf } from '../../context/routes.ts';
import { formatQuantity } from '../../kit/format.ts';
import { Age, LastKnown, Time } from '../../kit/measured.tsx';
import { statusText } from '../../kit/sentences.ts';
import { useEventReload, useLoaded } from '../../kit/use-loaded.ts';
import { operationTitle } from '../../operations/jobs.ts';
import { OperationProgress, OperationStop, useTimeLeft } from '../../operations/operation-progress.tsx';
import { locale, texts } from '../../texts.ts';
import type { DeviceFacts } from '../facts/device-facts.ts';
import { StartForm } from './start-form.tsx';

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts | undefined;
  /** The level to which the form would lead, which the form sets. */
  readonly target: Signal<number | null>;
  /** True when nothing more urgent is being read. */
  readonly mayLoad: boolean;
}

/** Shows the operation that runs in this silo with its stop, or the form that starts one. */
export function OperationPanel({ device, facts, target, mayLoad }: Props) {
  const { client, live, session } = useConsole();
  const { operations } = texts.value;
  const mayOperate = useScope('operate');
  const { device_id: deviceId } = device;
  const readLast = async (signal: AbortSignal): Promise<OperationRecord | null> =>
    (await client.operations.list(deviceId, { limit: 1 }, { signal })).data[0] ?? null;
  const last = useLoaded(mayLoad ? readLast : null, [deviceId]);
  useEventReload(['operation.'], last.reload, deviceId);
  const underWay = [...live.site.operations.all.value.values()].filter(
    ({ device_id }) => device_id === deviceId,
  );
  if (underWay.length > 0) {
    return (
      <section class="panel device-operation" aria-label={operations.underWay}>
        {underWay.map((operation) => (
          <RunningOperation key={operation.operation_id} operation={operation} />
        ))}
      </section>
    );
  }
  return (
    <>
      {!mayOperate && <p class="panel muted">{whyNotOperate(session)}</p>}
      {mayOperate && facts !== undefined && (last.value !== undefined || last.failure !== null) && (
        <StartForm device={device} facts={facts} lastType={last.value?.type ?? null} target={target} />
      )}
      {last.value !== null && last.value !== undefined && last.value.ended_at !== null && (
        <LastOperation deviceId={deviceId} operation={last.value} endedAt={last.value.ended_at} />
      )}
    </>
  );
}

interface LastOperationProps {
  readonly deviceId: string;
  readonly operation: OperationRecord;
  readonly endedAt: string;
}

/** Shows how the last operation ended, so that a person who watched it sees its end. */
function LastOperation({ deviceId, operation, endedAt }: LastOperationProps) {
  const { operations, devices } = texts.value;
  const { operation_id, status } = operation;
  return (
    <section class="panel device-last" aria-label={devices.lastOperation}>
      <p>
        <span class="muted">
          {devices.lastOperation}, <Age since={endedAt} />
        </span>
      </p>
      <p>
        <a
          class="free-text"
          href={addressOf('devices', deviceId, { tab: 'operations', operation: operation_id })}
        >
          {operationTitle({ ...operation, device_id: deviceId })}
        </a>{' '}
        <strong>{operations.statuses[status]}</strong>
      </p>
      <p class="muted free-text">{statusText(operation)}</p>
    </section>
  );
}

/** Shows how far an operation is, and its stop. */
function RunningOperation({ operation }: { readonly operation: FleetOperation }) {
  const { operations } = texts.value;
  const { device_id, progress, status, unit, started_at } = operation;
  const { amount_completed, amount_target, measured_amount } = operation;
  const timeLeft = useTimeLeft(operation);
  const amount = (value: number | null): string =>
    value === null ? '–' : formatQuantity(value, unit, locale.value, device_id, 1);
  return (
    <div class="device-running">
      <h2 class="free-text">{operationTitle(operation)}</h2>
      <p>
        <LastKnown>
          <strong>{operations.statuses[status]}</strong>
          {timeLeft !== null && ` · ${timeLeft}`}
        </LastKnown>
      </p>
      <OperationProgress operation={operation} />
      <p class="device-running-amount">
        <LastKnown>
          {progress !== null && <strong>{Math.round(progress)} %</strong>}{' '}
          {amount_target === null
            ? amount(amount_completed)
            : operations.ofTarget({ done: amount(amount_completed), target: amount(amount_target) })}
        </LastKnown>
      </p>
      <p class="muted">
        {measured_amount !== null && `${operations.measured({ amount: amount(measured_amount) })} · `}
        {operations.startedAt} <Time at={started_at} />
      </p>
      <p class={`free-text ${useIsLost() ? 'muted' : ''}`}>{statusText(operation)}</p>
      <OperationStop operation={operation} />
    </div>
  );
}
