import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useConsole, useScope } from '../../console.ts';
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
  const { live } = useConsole();
  const { operations } = texts.value;
  const mayOperate = useScope('operate');
  const underWay = [...live.site.operations.all.value.values()].filter(
    ({ device_id }) => device_id === device.device_id,
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
      {mayOperate && facts !== undefined && <StartForm device={device} facts={facts} />}
      <LastOperation deviceId={device.device_id} />
    </>
  );
}
