import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useConsole } from '../console.ts';
import { Failure } from '../parts/failure.tsx';
import { Notice } from '../parts/notice.tsx';
import { texts } from '../texts/texts.ts';
import { hasCapability } from './capability.ts';
import { HistoryChart } from './chart/history-chart.tsx';
import { DeviceHead } from './device-head.tsx';
import { sensorsOf } from './sensors.ts';
import { OperationPanel } from './start/operation-panel.tsx';
import { useDeviceFacts } from './use-device-facts.ts';
import { CurrentValues } from './values/current-values.tsx';
import { SiloVessel } from './values/silo-vessel.tsx';
import './device-page.css';

/** Everything about one device. */
export function DevicePage() {
  const { live, navigation } = useConsole();
  const { id } = navigation.route.value;
  const device = id === null ? undefined : live.site.devices.find(id);
  if (device === undefined) return <Notice>{texts.value.devices.unknown}</Notice>;
  return <KnownDevice key={id} device={device.value} />;
}

function KnownDevice({ device }: { readonly device: FleetDevice }) {
  const loaded = useDeviceFacts(device);
  const facts = loaded.value;
  const sensors = sensorsOf(device.profile, facts?.detail.sensors);
  const isSilo = hasCapability(device.profile, 'operations');
  return (
    <div class="device-page">
      <DeviceHead device={device} facts={facts} />
      <Failure of={loaded.failure} />
      <div class={`device-columns ${isSilo ? 'with-actions' : ''}`}>
        <div class="device-column device-column-values">
          {isSilo && <SiloVessel device={device} facts={facts} />}
          <CurrentValues device={device} sensors={sensors} />
        </div>
        <div class="device-column device-column-chart">
          {facts !== undefined && <HistoryChart device={device} sensors={sensors} facts={facts} />}
        </div>
        {isSilo && (
          <div class="device-column device-column-actions">
            <OperationPanel device={device} facts={facts} />
          </div>
        )}
      </div>
    </div>
  );
}
