import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useConsole, useScope } from '../../console.ts';
import { useEventReload } from '../../parts/lists/use-event-reload.ts';
import { useLoaded } from '../../parts/use-loaded.ts';
import { texts } from '../../texts/texts.ts';
import type { DeviceFacts } from '../use-device-facts.ts';
import { LastOperation } from './last-operation.tsx';
import { RunningOperation } from './running-operation.tsx';
import { StartForm } from './start-form.tsx';
import './start.css';

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts | undefined;
}

/** What moves in this silo with its stop, or the form that starts something. */
export function OperationPanel({ device, facts }: Props) {
  const { client, live } = useConsole();
  const { operations } = texts.value;
  const mayOperate = useScope('operate');
  const { device_id: deviceId } = device;
  const last = useLoaded(
    async (signal) => (await client.operations.list(deviceId, { limit: 1 }, { signal })).data[0] ?? null,
    [deviceId],
  );
  useEventReload(['operation.'], last.reload);
  const underWay = [...live.site.operations.all.value.values()].filter(
    ({ device_id }) => device_id === deviceId,
  );
  if (underWay.length > 0) {
    return (
      <section class="panel device-operation" aria-label={operations.underWay}>
        {underWay.map((operation) => (
          <RunningOperation key={operation.operation_id} operation={operation} name={device.name} />
        ))}
      </section>
    );
  }
  return (
    <>
      {mayOperate && facts !== undefined && (last.value !== undefined || last.failure !== null) && (
        <StartForm device={device} facts={facts} lastType={last.value?.type ?? null} />
      )}
      {last.value !== null && last.value !== undefined && last.value.ended_at !== null && (
        <LastOperation deviceId={deviceId} operation={last.value} endedAt={last.value.ended_at} />
      )}
    </>
  );
}
