import { PROFILE_OUTLINES } from '@granary/contract/outline';
import './device-tile.css';
import type { FleetDevice } from '@granary/contract/fleet';
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/alerts.ts';
import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { formatValue } from '../kit/format.ts';
import { Age, LastKnown } from '../kit/measured.tsx';
import { messageText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import type { LiveDevice } from '../live/site.ts';
import { operationTitle } from '../operations/jobs.ts';
import { profileOf } from '../profiles/profiles.ts';
import { useOverviewFacts } from '../profiles/tile-facts.ts';
import { locale, texts } from '../texts.ts';
import { rowsInWindow } from './arrangement.ts';

/** The rows for the first drawing; how many the window holds is measured then. */
const FIRST_ROWS = { first: 0, end: 8, columns: 3, rowPx: 0 };

interface TileListProps {
  readonly deviceIds: readonly string[];
  /** True when the tiles are not grouped, so each names its facility. */
  readonly hasFacility: boolean;
}

/** Draws only the tiles in the window and close to it, and keeps room for the others above and below them. */
export function TileList({ deviceIds, hasFacility }: TileListProps) {
  const { devices } = useConsole().live.site;
  const list = useRef<HTMLUListElement>(null);
  const shown = useSignal(FIRST_ROWS);
  useLayoutEffect(() => followWindow(list.current, deviceIds.length, shown), [deviceIds.length]);
  const { first, end, columns, rowPx } = shown.value;
  const below = Math.max(0, Math.ceil(deviceIds.length / columns) - end);
  return (
    <ul
      ref={list}
      class="overview-tiles"
      style={{ paddingTop: `${first * rowPx}px`, paddingBottom: `${below * rowPx}px` }}
    >
      {deviceIds.slice(first * columns, end * columns).map((deviceId) => {
        const device = devices.find(deviceId);
        return device && <DeviceTile key={deviceId} device={device} hasFacility={hasFacility} />;
      })}
    </ul>
  );
}

/** Follows which rows the window shows; on paper all are shown. Returns the function that ends this. */
function followWindow(
  list: HTMLElement | null,
  tiles: number,
  shown: Signal<typeof FIRST_ROWS>,
): (() => void) | undefined {
  if (list === null) return undefined;
  let { columns, rowPx } = shown.peek();
  const show = (first: number, end: number): void => {
    const now = shown.peek();
    if (now.first !== first || now.end !== end || now.columns !== columns || now.rowPx !== rowPx)
      shown.value = { first, end, columns, rowPx };
  };
  const look = (): void => {
    const rows = Math.ceil(tiles / columns);
    const { first, end } = rowsInWindow(list.getBoundingClientRect().top, innerHeight, rowPx, rows);
    show(first, end);
  };
  const measure = (): void => {
    const { gridTemplateColumns, rowGap } = getComputedStyle(list);
    columns = gridTemplateColumns.split(' ').length;
    rowPx = (list.firstElementChild?.getBoundingClientRect().height ?? 0) + Number.parseFloat(rowGap);
    look();
  };
  measure();
  const ended = new AbortController();
  const { signal } = ended;
  addEventListener('scroll', look, { passive: true, signal });
  addEventListener('beforeprint', () => show(0, tiles), { signal });
  addEventListener('afterprint', look, { signal });
  // The height of what is above the list may have changed.
  const observer = new ResizeObserver(measure);
  observer.observe(document.body);
  return () => {
    ended.abort();
    observer.disconnect();
  };
}

interface DeviceTileProps {
  readonly device: LiveDevice;
  readonly hasFacility: boolean;
}

/** Shows one device in the overview. */
export function DeviceTile({ device, hasFacility }: DeviceTileProps) {
  const { device_id } = device.peek();
  const { byDevice } = useOverviewFacts();
  const worst = useComputed(
    () => byDevice.alerts.value.get(device_id)?.find(isUnacknowledged)?.severity ?? '',
  );
  return (
    <li class={`overview-tile ${worst}`}>
      <TileContent device={device} hasFacility={hasFacility} />
    </li>
  );
}

/** The profile of the device decides which values its tile shows. */
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

/** The last line of a tile: its alerts, then what the device does or what is wrong with it, otherwise its minor values and its age. */
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
            {missions.waypointsReached({ reached, all: mission.waypoints.length })} · {mission.mission_name}
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
        <span class="overview-state-text muted">
          {overview.declaredSensors({ count: declaredCount(device) })}
        </span>
      )}
      {PROFILE_OUTLINES[device.profile]?.capabilities.includes('missions') && (
        <MapLink deviceId={device_id} />
      )}
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

/** The number of sensors that the device has beside those of its profile. */
function declaredCount({ profile, readings = {} }: FleetDevice): number {
  const ofProfile: ReadonlySet<string> = new Set(['level', ...(PROFILE_OUTLINES[profile]?.channels ?? [])]);
  return Object.keys(readings).filter((sensor) => !ofProfile.has(sensor)).length;
}

/** The most urgent alert of a device, and the number of its alerts if there are several. It leads to them. */
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

const hasReadings = ({ readings = {} }: FleetDevice): boolean => Object.keys(readings).length > 0;
