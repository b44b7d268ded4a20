import type { FleetDevice } from '@granary/contract/fleet/devices';
import { hasCapability } from './capability.ts';
import { HistoryChart } from './chart/history-chart.tsx';
import type { ShownSensor } from './sensors.ts';
import { OperationPanel } from './start/operation-panel.tsx';
import type { DeviceFacts } from './use-device-facts.ts';
import { CurrentValues } from './values/current-values.tsx';
import { SiloVessel } from './values/silo-vessel.tsx';
import { VehicleActions } from './vehicle-actions.tsx';

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts | undefined;
  readonly sensors: readonly ShownSensor[];
}

/** What a device measures, measured, and can be asked to do. */
export function DeviceNow({ device, facts, sensors }: Props) {
  const canOperate = hasCapability(device.profile, 'operations');
  const hasContents = sensors.some(({ id }) => id === 'level');
  const takesCommands = hasCapability(device.profile, 'commands');
  return (
    <div class={`device-columns ${canOperate || takesCommands ? 'with-actions' : ''}`}>
      <div class="device-column device-column-values">
        {hasContents ? (
          <SiloVessel device={device} facts={facts} />
        ) : (
          <CurrentValues device={device} sensors={sensors} />
        )}
      </div>
      <div class="device-column device-column-chart">
        <HistoryChart device={device} sensors={sensors} configuration={facts?.configuration} />
        {hasContents && <CurrentValues device={device} sensors={sensors} />}
      </div>
      {canOperate && (
        <div class="device-column device-column-actions">
          <OperationPanel device={device} facts={facts} />
        </div>
      )}
      {takesCommands && (
        <div class="device-column device-column-actions">
          <VehicleActions device={device} />
        </div>
      )}
    </div>
  );
}
