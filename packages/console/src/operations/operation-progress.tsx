import type { FleetOperation } from '@granary/contract/fleet';
import { type Console, callOptions, useConsole, useIsLost, useScope } from '../context/console.ts';
import { formatDuration } from '../kit/format.ts';

import { texts } from '../texts.ts';
import { StopButton } from './stop-button.tsx';

interface Props {
  readonly operation: FleetOperation;
}

/** Shows how far an operation is. */
export const OperationProgress = ({ operation: { progress } }: Props) => (
  <progress max={100} value={progress ?? 0} aria-label={texts.value.operations.progress}>
    {progress} %
  </progress>
);

/** How long an operation will still take, in words; `null` if that is not known. */
export function useTimeLeft({ status, estimated_completion }: FleetOperation): string | null {
  const { nowMs } = useConsole().live.site.clock;
  const isLost = useIsLost();
  if (estimated_completion === null || status !== 'in_progress' || isLost) return null;
  const leftMs = Date.parse(estimated_completion) - nowMs.value;
  return leftMs > 0 ? texts.value.operations.left({ duration: formatDuration(leftMs) }) : null;
}

/** Sends the stop of an operation; it may be sent any number of times. */
export function stopOperation(
  console: Pick<Console, 'client' | 'live' | 'preferences' | 'session'>,
  { device_id, operation_id }: Pick<FleetOperation, 'device_id' | 'operation_id'>,
): Promise<void> {
  const answer = console.client.operations.stop(device_id, operation_id, callOptions(console));
  return console.live.site.operations.putAnswer(answer.then((record) => [{ device_id, ...record }]));
}

/** The stop button of an operation, for keys that may stop. */
export function OperationStop({ operation }: Props) {
  const console = useConsole();
  const { device_id, operation_id, status } = operation;
  if (!useScope('stop')) return null;
  return (
    <StopButton
      of={operation_id}
      stop={() => stopOperation(console, operation)}
      isRequested={status === 'stopping'}
      label={texts.value.operations.stopOf({ name: console.live.site.devices.nameOf(device_id) })}
    />
  );
}
