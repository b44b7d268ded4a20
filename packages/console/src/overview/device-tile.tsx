import './device-tile.css';
import type { FleetDevice } from '@granary/contract/fleet';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/alerts.ts';
import { addressOf } from '../context/routes.ts';
import { formatValue } from '../kit/format.ts';
import { Age, LastKnown } from '../kit/measured.tsx';
import { messageText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import type { LiveDevice } from '../live/site.ts';
import { operationTitle } from '../operations/jobs.ts';
import { profileOf } from '../profiles/profiles.ts';
import { useOverviewFacts } from '../profiles/tile-facts.ts';
import { locale, texts } from '../texts/texts.ts';

/** Drawn a little before it is seen. */
const MARGIN = '300px';

const watched = new WeakMap<Element, Signal<boolean>>();

interface DeviceTileProps {
  readonly device: LiveDevice;
  /** Where the tiles are not grouped, each names its facility. */
  readonly hasFacility: boolean;
}

/** One device in the overview. Away from the window only its name is there, and it follows no changes. */
export function DeviceTile({ device, hasFacility }: DeviceTileProps) {
  const element = useRef<HTMLLIElement>(null);
  const isNear = useNear(element);
  const { device_id, name } = device.peek();
  const { byDevice } = useOverviewFacts();
  const worst = useComputed(
    () => byDevice.alerts.value.get(device_id)?.find(isUnacknowledged)?.severity ?? '',
  );
  return (
    <li ref={element} class={`overview-tile ${worst}`}>
      {isNear.value ? (
        <TileContent device={device} hasFacility={hasFacility} />
      ) : (
        <h3 class="overview-name free-text">
          <a class="overview-name-link" href={addressOf('devices', device_id)}>
            {name}
          </a>
        </h3>
      )}
    </li>
  );
}

/** What it shows of the values is decided by the profile of the device. */
function TileContent({ device: live, hasFacility }: DeviceTileProps) {
  const device = live.value;
  const { device_id, name, profile, location } = device;
  const { Picture, Values, Foot } = profileOf(profile);
  return (
    <>
      <div class="overview-picture">
        <Picture device={device} />
      </div>
      <div class="overview-words">
        <div class="overview-title">
          <h3 class="overview-name free-text" title={name}>
            <a class="overview-name-link" href={addressOf('devices', device_id)}>
              {name}
            </a>
          </h3>
          <p class="overview-place muted free-text">{hasFacility ? location.facility : location.zone}</p>
        </div>
        <Values device={device} />
      </div>
      <StateLine device={device} />
      {Foot !== undefined && <Foot device={device} />}
    </>
  );
}

interface StateLineProps {
  readonly device: FleetDevice;
}

/** The last line of a tile: its alerts, and what it does, what is wrong with it, or else its minor values and its age. */
const StateLine = ({ device }: StateLineProps) => (
  <div class="overview-state">
    <AlertCount deviceId={device.device_id} />
    <State device={device} />
  </div>
);

function State({ device }: StateLineProps) {
  const { byDevice } = useOverviewFacts();
  const { overview, common, operations, missions } = texts.value;
  const { device_id, status, last_seen } = device;
  const operation = byDevice.operations.value.get(device_id)?.[0];
  if (operation !== undefined) {
    const title = operationTitle(operation);
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
        <strong class="overview-state-text free-text" title={messageText(alert)}>
          <LastKnown>{messageText(alert)}</LastKnown>
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

/** One observer for all elements, because one for each of a thousand is slow. */
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const isNear = watched.get(target);
      if (isNear !== undefined) isNear.value = isIntersecting;
    }
  },
  { rootMargin: MARGIN },
);

/** Whether an element is in the window or close to it, so that what nobody sees is not drawn. */
function useNear(element: RefObject<Element | null>): ReadonlySignal<boolean> {
  const isNear = useSignal(false);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    watched.set(current, isNear);
    observer.observe(current);
    return () => observer.unobserve(current);
  }, []);
  return isNear;
}

const hasReadings = ({ readings = {} }: FleetDevice): boolean => Object.keys(readings).length > 0;
