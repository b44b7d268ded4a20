import './device-page.css';
import './device-operations.css';
import type { FleetDevice } from '@granary/contract/fleet';
import type { OperationRecord } from '@granary/contract/operations';
import { type Signal, useSignal } from '@preact/signals';
import { EmergencyStop } from '../commands/emergency-stop.tsx';
import { useVehicleState, VehicleCommands } from '../commands/vehicle-commands.tsx';
import { useConsole, useIsLost, useScope } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { ForecastPanel } from '../foresight/forecast-panel.tsx';
import { formatDuration } from '../kit/format.ts';
import { Time } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { detailText, statusText } from '../kit/sentences.ts';
import { PageList } from '../kit/table.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { useEventReload, useLoaded, usePages } from '../kit/use-loaded.ts';
import { RequestedBy } from '../operations/job-table.tsx';
import { nameOf, operationTitle } from '../operations/jobs.ts';
import { texts } from '../texts.ts';
import { DeviceAdministration } from './administration/device-administration.tsx';
import { HistoryChart } from './chart/history-chart.tsx';
import { DeviceConfiguration } from './configuration/device-configuration.tsx';
import { MaintenancePanel } from './configuration/maintenance-panel.tsx';
import { DeviceConnection } from './device-connection.tsx';
import { DeviceHead } from './device-head.tsx';
import { type DeviceFacts, useDeviceFacts } from './facts/device-facts.ts';
import { hasCapability, type ShownSensor, sensorsOf } from './facts/sensors.ts';
import { OperationPanel } from './start/operation-panel.tsx';
import { Cables, CurrentValues } from './values/current-values.tsx';
import { SiloVessel } from './values/silo-vessel.tsx';

const DEVICE_TABS = [
  'now',
  'forecast',
  'operations',
  'configuration',
  'connection',
  'administration',
] as const;

/** Shows the operations of this device, the newest first; each opens to show its steps. An older one from the address stands first. */
export function DeviceOperations({ device: { device_id } }: { readonly device: FleetDevice }) {
  const { client, navigation } = useConsole();
  const { devices } = texts.value;
  const pages = usePages((page, signal) => client.operations.list(device_id, page, { signal }), [device_id]);
  useEventReload(['operation.'], pages.reload, device_id);
  const opened = navigation.route.value.query.get('operation');
  const isFurther =
    opened !== null && pages.items?.every(({ operation_id }) => operation_id !== opened) === true;
  const further = useLoaded(
    isFurther ? (signal) => client.operations.get(device_id, opened, { signal }) : null,
    [device_id, opened],
  );
  return (
    <section class="panel" aria-label={devices.tabs.operations}>
      <PageList pages={pages} empty={devices.noOperations}>
        {(operations) => (
          <ul class="device-operations">
            {[...(isFurther && further.value !== undefined ? [further.value] : []), ...operations].map(
              (operation) => (
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
              ),
            )}
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
  const { operations } = texts.value;
  const { status, started_at, requested_by, origin } = operation;
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
          <span class="device-operation-detail muted free-text">{statusText(operation)}</span>
        </summary>
        {isOpen && <OperationTrace deviceId={deviceId} operation={operation} />}
      </details>
    </li>
  );
}

interface TraceProps {
  readonly deviceId: string;
  readonly operation: OperationRecord;
}

/** Shows the steps of an operation with their times, and how long after the first one each was. */
function OperationTrace({ deviceId, operation }: TraceProps) {
  const { client } = useConsole();
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
      {value.steps.map((one) => {
        const { at, step, by } = one;
        return (
          <li key={`${step} ${at}`}>
            <span class="device-trace-time">
              <Time at={at} />
              <span class="muted">+{formatDuration(Date.parse(at) - firstMs)}</span>
            </span>
            <span>
              <strong>{devices.steps[step]}</strong>
              {by !== null && <span class="free-text"> · {nameOf(by)}</span>}
              <br />
              <span class="free-text">{detailText(one)}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** Shows everything about one device. */
export function DevicePage() {
  const { live, navigation } = useConsole();
  const { id } = navigation.route.value;
  const device = id === null ? undefined : live.site.devices.find(id);
  if (device === undefined) return <Notice>{texts.value.devices.unknown}</Notice>;
  return <KnownDevice key={id} device={device.value} />;
}

function KnownDevice({ device }: { readonly device: FleetDevice }) {
  const { navigation } = useConsole();
  const isLost = useIsLost();
  const { devices, shell } = texts.value;
  const { query } = navigation.route.value;
  const isOffered: Readonly<Partial<Record<DeviceTab, boolean>>> = {
    forecast: hasCapability(device.profile, 'operations'),
    operations: hasCapability(device.profile, 'operations'),
    administration: useScope('admin'),
  };
  const shown = DEVICE_TABS.filter((tab) => isOffered[tab] ?? true);
  const current = shown.find((tab) => tab === query.get('tab')) ?? 'now';
  // The line of the chart takes longest, so it is read first. The sensors that an address may name are known only with the facts.
  const hasLine = useSignal(false);
  const loaded = useDeviceFacts(device, hasLine.value || current !== 'now' || query.has('sensor'));
  const facts = loaded.value;
  const sensors = sensorsOf(device.profile, facts?.detail.sensors);
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
      {current === 'now' && <DeviceNow device={device} facts={facts} sensors={sensors} hasLine={hasLine} />}
      {current === 'forecast' && <ForecastPanel device={device} />}
      {current === 'operations' && <DeviceOperations device={device} />}
      {current === 'connection' && <DeviceConnection device={device} />}
      {(current === 'configuration' || current === 'administration') && facts === undefined && (
        <Notice>{shell.loading}</Notice>
      )}
      {current === 'configuration' && facts !== undefined && (
        <>
          <DeviceConfiguration device={device} facts={facts} sensors={sensors} reload={loaded.reload} />
          <MaintenancePanel device={device} facts={facts} reload={loaded.reload} />
        </>
      )}
      {current === 'administration' && facts !== undefined && (
        <DeviceAdministration device={device} facts={facts} />
      )}
    </div>
  );
}

type DeviceTab = (typeof DEVICE_TABS)[number];

interface NowProps {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts | undefined;
  readonly sensors: readonly ShownSensor[];
  readonly hasLine: Signal<boolean>;
}

/** Shows the values, the chart and the actions of a device. */
function DeviceNow({ device, facts, sensors, hasLine }: NowProps) {
  const canOperate = hasCapability(device.profile, 'operations');
  const hasContents = sensors.some(({ id }) => id === 'level');
  const takesCommands = hasCapability(device.profile, 'commands');
  const target = useSignal<number | null>(null);
  return (
    <div class={`device-columns ${canOperate || takesCommands ? 'with-actions' : ''}`}>
      <div class={`device-column device-column-values ${hasContents ? 'with-vessel' : ''}`}>
        {hasContents && <SiloVessel device={device} facts={facts} sensors={sensors} target={target.value} />}
        <CurrentValues device={device} sensors={sensors} />
      </div>
      <div class="device-column device-column-chart">
        <HistoryChart
          device={device}
          sensors={sensors}
          configuration={facts?.configuration}
          hasLine={hasLine}
        />
        <Cables
          device={device}
          sensors={sensors}
          configuration={facts?.configuration}
          mayLoad={hasLine.value}
        />
      </div>
      {canOperate && (
        <div class="device-column device-column-actions">
          <OperationPanel device={device} facts={facts} target={target} mayLoad={hasLine.value} />
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

/** Shows the emergency stop and the commands of a vehicle, and the link to its missions. */
function VehicleActions({ device: { device_id, name } }: { readonly device: FleetDevice }) {
  const { devices } = texts.value;
  const { value: state, failure } = useVehicleState(device_id);
  const stop = state?.detail.emergency_stop;
  return (
    <section class="panel device-vehicle" aria-label={devices.vehicle}>
      <EmergencyStop deviceId={device_id} name={name} state={stop} />
      <Failure of={failure} />
      <VehicleCommands
        deviceId={device_id}
        name={name}
        isStopInForce={stop?.active === true}
        newest={state?.newestCommand ?? null}
      />
      <a class="button" href={addressOf('map', null, { device: device_id })}>
        {devices.onTheMap}
      </a>
      <a href={addressOf('operations', 'commands', { device: device_id })}>{devices.allCommands}</a>
    </section>
  );
}
