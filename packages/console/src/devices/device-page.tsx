import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useConsole } from '../console.ts';
import { Failure } from '../parts/failure.tsx';
import { Notice } from '../parts/notice.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';
import { hasCapability } from './capability.ts';
import { DeviceConfiguration } from './configuration/device-configuration.tsx';
import { MaintenancePanel } from './configuration/maintenance-panel.tsx';
import { DeviceConnection } from './connection/device-connection.tsx';
import { DeviceHead } from './device-head.tsx';
import { DeviceNow } from './device-now.tsx';
import { DEVICE_TABS, type DeviceTab, tabOf } from './device-tabs.ts';
import { DeviceOperations } from './operations/device-operations.tsx';
import { sensorsOf } from './sensors.ts';
import { useDeviceFacts } from './use-device-facts.ts';
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
  const { live, navigation } = useConsole();
  const isLost = live.connection.current.value.state === 'lost';
  const { devices, frame } = texts.value;
  const loaded = useDeviceFacts(device);
  const facts = loaded.value;
  const sensors = sensorsOf(device.profile, facts?.detail.sensors);
  const { query } = navigation.route.value;
  const current = tabOf(query);
  const shown = DEVICE_TABS.filter(
    (tab) => tab !== 'operations' || hasCapability(device.profile, 'operations'),
  );
  const address = (tab: DeviceTab): string =>
    addressOf('devices', device.device_id, {
      ...Object.fromEntries(query),
      tab: tab === 'now' ? undefined : tab,
    });
  return (
    <div class="device-page">
      <DeviceHead device={device} facts={facts} />
      <Tabs
        label={devices.parts}
        current={current}
        tabs={shown.map((tab) => ({ name: tab, title: devices.tabs[tab], address: address(tab) }))}
      />
      {!isLost && <Failure of={loaded.failure} />}
      {current === 'now' && <DeviceNow device={device} facts={facts} sensors={sensors} />}
      {current === 'operations' && <DeviceOperations device={device} />}
      {current === 'connection' && <DeviceConnection device={device} />}
      {current === 'configuration' &&
        (facts === undefined ? (
          <Notice>{frame.loading}</Notice>
        ) : (
          <>
            <DeviceConfiguration device={device} facts={facts} sensors={sensors} reload={loaded.reload} />
            <MaintenancePanel device={device} facts={facts} reload={loaded.reload} />
          </>
        ))}
    </div>
  );
}
