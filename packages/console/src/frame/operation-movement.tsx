import type { FleetOperation } from '@granary/contract/fleet/records';
import { callOptions, useConsole, useScope } from '../console.ts';
import { withLocalTimes } from '../format/sentences.ts';
import { formatDuration } from '../format/times.ts';
import { operationTitle } from '../operations/operation-texts.ts';
import { StopButton } from '../operations/stop-button.tsx';
import { DeviceLink } from '../parts/device-link.tsx';
import { LastKnown, useIsLost } from '../parts/last-known.tsx';
import { locale, texts } from '../texts/texts.ts';

/** One operation under way. */
export function OperationMovement({ operation }: { readonly operation: FleetOperation }) {
  const { client, live, ...console } = useConsole();
  const { operations } = texts.value;
  const { device_id, operation_id, progress, status_detail, estimated_completion } = operation;
  const name = live.site.devices.find(device_id)?.value.name ?? device_id;
  const stop = async (): Promise<void> => {
    const record = await client.operations.stop(device_id, operation_id, callOptions(console));
    live.site.operations.put({ device_id, ...record });
  };
  const isLost = useIsLost();
  const leftMs =
    estimated_completion === null ? null : Date.parse(estimated_completion) - live.site.clock.nowMs.value;
  return (
    <li class="movement">
      <div>
        <p class="what">
          <span>
            <DeviceLink deviceId={device_id} />
          </span>
          <span class="free-text">{operationTitle(operation, operations, locale.value)}</span>
        </p>
        <progress max={100} value={progress ?? 0} aria-label={operations.progress}>
          {progress} %
        </progress>
        <p class="detail">
          <LastKnown>
            {progress === null ? '' : `${Math.round(progress)} % · `}
            {leftMs !== null && leftMs > 0 && operation.status === 'in_progress' && !isLost
              ? operations.left(formatDuration(leftMs))
              : withLocalTimes(status_detail, live.site.clock.nowMs.peek(), locale.value)}
          </LastKnown>
        </p>
      </div>
      {useScope('operate') && (
        <StopButton
          of={operation_id}
          stop={stop}
          isRequested={operation.status === 'stopping'}
          label={operations.stopOf(name)}
        />
      )}
    </li>
  );
}
