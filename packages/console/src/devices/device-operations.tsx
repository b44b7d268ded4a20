import './device-operations.css';
import type { FleetDevice } from '@granary/contract/fleet';
import type { OperationRecord } from '@granary/contract/operations';
import { useConsole } from '../context/console.ts';
import { formatDuration, withLocalTimes } from '../kit/format.ts';
import { Time } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { PageList } from '../kit/table.tsx';
import { useEventReload, useLoaded, usePages } from '../kit/use-loaded.ts';
import { RequestedBy } from '../operations/job-table.tsx';
import { nameOf, operationTitle } from '../operations/jobs.ts';
import { locale, texts } from '../texts/texts.ts';

/** What was moved by this device, newest first; each opens to show its steps. */
export function DeviceOperations({ device: { device_id } }: { readonly device: FleetDevice }) {
  const { client, navigation } = useConsole();
  const { devices } = texts.value;
  const pages = usePages((page, signal) => client.operations.list(device_id, page, { signal }), [device_id]);
  useEventReload(['operation.'], pages.reload);
  const opened = navigation.route.value.query.get('operation');
  return (
    <section class="panel" aria-label={devices.tabs.operations}>
      <PageList pages={pages} empty={devices.noOperations}>
        {(operations) => (
          <ul class="device-operations">
            {operations.map((operation) => (
              <OperationRow
                key={operation.operation_id}
                operation={operation}
                deviceId={device_id}
                isOpen={operation.operation_id === opened}
                onToggle={(isOpen) => {
                  if (isOpen !== (operation.operation_id === opened)) {
                    navigation.filter({ operation: isOpen ? operation.operation_id : undefined });
                  }
                }}
              />
            ))}
          </ul>
        )}
      </PageList>
    </section>
  );
}

interface RowProps {
  readonly operation: OperationRecord;
  readonly deviceId: string;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

function OperationRow({ operation, deviceId, isOpen, onToggle }: RowProps) {
  const { live } = useConsole();
  const { operations } = texts.value;
  const { status, status_detail, started_at, requested_by, origin } = operation;
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
        <summary>
          <span class="device-operation-time">
            <Time at={started_at} />
          </span>
          <strong class="free-text">{operationTitle(operation)}</strong>
          <span class={`device-operation-status ${status}`}>{operations.statuses[status]}</span>
          <span class="muted">
            <RequestedBy actor={requested_by} isOfDevice={origin === 'device'} />
          </span>
          <span class="device-operation-detail muted free-text">
            {withLocalTimes(status_detail, live.site.clock.nowMs.peek(), locale.value)}
          </span>
        </summary>
        {isOpen && <OperationTrace deviceId={deviceId} operation={operation} />}
      </details>
    </li>
  );
}

interface Props {
  readonly deviceId: string;
  readonly operation: OperationRecord;
}

/** The steps of an operation with their times, and how long after the first each one was. */
function OperationTrace({ deviceId, operation }: Props) {
  const { client, live } = useConsole();
  const { devices, shell } = texts.value;
  const { operation_id, status, status_detail } = operation;
  const { value, failure } = useLoaded(
    (signal) => client.operations.trace(deviceId, operation_id, { signal }),
    [deviceId, operation_id, status, status_detail],
  );
  if (value === undefined) {
    return failure === null ? <p class="muted">{shell.loading}</p> : <Failure of={failure} />;
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
