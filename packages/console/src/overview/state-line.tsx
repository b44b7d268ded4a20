import type { FleetDevice } from '@granary/contract/fleet/devices';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { isUnacknowledged } from '../alerts/summary.ts';
import { formatValue } from '../format/numbers.ts';
import { operationTitle } from '../operations/operation-texts.ts';
import { Age } from '../parts/age.tsx';
import { LastKnown } from '../parts/last-known.tsx';
import { SeverityMark } from '../parts/severity-mark.tsx';
import { profileOf } from '../profiles/profiles.tsx';
import { addressOf } from '../routes.ts';
import { locale, texts } from '../texts/texts.ts';
import { useOverviewFacts } from './overview-context.ts';

interface Props {
  readonly device: FleetDevice;
}

/** The last line of a tile: its alerts, and what it does, what is wrong with it, or else its minor values and its age. */
export const StateLine = ({ device }: Props) => (
  <div class="overview-state">
    <AlertCount deviceId={device.device_id} />
    <State device={device} />
  </div>
);

function State({ device }: Props) {
  const { byDevice } = useOverviewFacts();
  const { overview, common, operations, missions } = texts.value;
  const { device_id, status, last_seen } = device;
  const operation = byDevice.operations.value.get(device_id)?.[0];
  if (operation !== undefined) {
    const title = operationTitle(operation, operations, locale.value);
    return (
      <>
        <progress max={100} value={operation.progress ?? 0} aria-label={operations.progress} />
        <span class="overview-state-text free-text" title={title}>
          <LastKnown>
            {operation.progress !== null && `${Math.round(operation.progress)} % · `}
            {title}
          </LastKnown>
        </span>
      </>
    );
  }
  const mission = byDevice.missions.value.get(device_id)?.[0];
  if (mission !== undefined) {
    const reached = mission.waypoints.filter((one) => one.status === 'reached').length;
    return (
      <>
        <progress max={mission.waypoints.length} value={reached} aria-label={missions.progress} />
        <span class="overview-state-text free-text" title={mission.mission_name}>
          <LastKnown>
            {missions.waypointsReached(reached, mission.waypoints.length)} · {mission.mission_name}
          </LastKnown>
        </span>
        <MapLink deviceId={device_id} />
      </>
    );
  }
  const alert = byDevice.alerts.value.get(device_id)?.[0];
  if (alert !== undefined) {
    return (
      <>
        <strong class="overview-state-text free-text" title={alert.message}>
          <LastKnown>{alert.message}</LastKnown>
        </strong>
        <Age since={alert.created_at} />
      </>
    );
  }
  if (status !== 'online') {
    return (
      <>
        <strong class="overview-state-text">
          <LastKnown>{common.deviceStatuses[status]}</LastKnown>
        </strong>
        {last_seen === null ? <span>{common.neverReported}</span> : <Age since={last_seen} />}
      </>
    );
  }
  return (
    <>
      <span class="overview-state-text muted">
        {hasReadings(device) ? minorValuesOf(device).join(' · ') : overview.noReading}
      </span>
      {declaredCount(device) > 0 && (
        <span class="overview-state-text muted">{overview.declaredSensors(declaredCount(device))}</span>
      )}
      {PROFILES[device.profile]?.capabilities.includes('missions') && <MapLink deviceId={device_id} />}
      {last_seen !== null && <Age since={last_seen} />}
    </>
  );
}

const MapLink = ({ deviceId }: { readonly deviceId: string }) => (
  <a class="overview-state-link" href={addressOf('map', null, { device: deviceId })}>
    {texts.value.overview.onMap}
  </a>
);

/** Values that are not good are left out here; the device page shows them with their reason. */
function minorValuesOf({ profile, readings = {} }: FleetDevice): string[] {
  return profileOf(profile).minor.flatMap((sensor) => {
    const reading = readings[sensor];
    if (reading === undefined || reading.quality !== 'good') return [];
    return [formatValue(reading.value, reading.unit, locale.value)];
  });
}

const hasReadings = ({ readings = {} }: FleetDevice): boolean => Object.keys(readings).length > 0;

/** The sensors that the device has beside those of its profile. */
function declaredCount({ profile, readings = {} }: FleetDevice): number {
  const ofProfile: ReadonlySet<string> = new Set(['level', ...(PROFILES[profile]?.channels ?? [])]);
  return Object.keys(readings).filter((sensor) => !ofProfile.has(sensor)).length;
}

/** The most urgent alert of a device, and how many there are where it has several. It leads to them. */
function AlertCount({ deviceId }: { readonly deviceId: string }) {
  const { byDevice } = useOverviewFacts();
  const alerts = byDevice.alerts.value.get(deviceId) ?? [];
  const [first] = alerts;
  if (first === undefined) return null;
  return (
    <a class="overview-alerts" href={addressOf('alerts', null, { device: deviceId })}>
      <SeverityMark
        severity={first.severity}
        text={alerts.length === 1 ? '' : String(alerts.length)}
        isOutlined={!isUnacknowledged(first)}
      />
    </a>
  );
}
