import type { AlertSeverity } from '@granary/contract/alerts';
import type { FleetAlert, FleetDevice } from '@granary/contract/fleet';
import { ALERT_SEVERITIES } from '@granary/contract/outline';
import type { Point } from '@granary/contract/positions';
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/alerts.ts';
import { useConsole, useIsLost } from '../context/console.ts';
import { SEVERITY_SHAPES } from '../kit/severity-mark.tsx';
import type { LiveDevice } from '../live/site.ts';
import { texts } from '../texts.ts';
import { isVisible, pathOf, screenOf } from './surface/projection.ts';
import { useView } from './surface/surface-context.ts';
import { headingOf, type Tracks, trackParts } from './tracks.ts';
import { labelsWithRoom, positionOf, shortened } from './vehicles.ts';

/** The opacity of the oldest part, which is still visible. */
const OPACITY_MIN = 0.15;

/** With more devices than this, only the selected one and those on a mission have a track. */
const TRACKS_MAX = 20;
/** With more devices than this, only the selected one has its name beside it. */
const LABELS_MAX = 60;
const LABEL_GAP_PX = 20;

interface Props {
  /** The devices in this order: the selected one, those on a mission, the others. */
  readonly devices: readonly LiveDevice[];
  readonly tracks: Tracks;
  readonly selectedId: string | null;
  /** `null` while points are drawn. */
  readonly onSelect: ((deviceId: string) => void) | null;
  /** Called when a device gets the focus of the keyboard. */
  readonly onFocus: (position: Point) => void;
}

export const VehicleLayer = ({ devices, tracks, selectedId, onSelect, onFocus }: Props) => (
  <>
    {devices.slice(0, TRACKS_MAX).map((device) => (
      <VehicleTrack key={device.peek().device_id} device={device} tracks={tracks} />
    ))}
    {devices.toReversed().map((device) => (
      <VehicleMark
        key={device.peek().device_id}
        device={device}
        tracks={tracks}
        isSelected={device.peek().device_id === selectedId}
        onSelect={onSelect}
        onFocus={onFocus}
      />
    ))}
    <VehicleLabels devices={devices.length > LABELS_MAX ? devices.slice(0, 1) : devices} />
  </>
);

function VehicleLabels({ devices }: { readonly devices: readonly LiveDevice[] }) {
  const view = useView();
  const labels = devices.flatMap((device) => {
    const position = positionOf(device.value);
    if (position === null) return [];
    const at = screenOf(position.point, view);
    const { device_id: id, name } = device.value;
    return isVisible(at, view) ? [{ id, text: shortened(name), at }] : [];
  });
  return (
    <g class="map-labels">
      {labelsWithRoom(labels, view.width).map(({ id, text, at, isLeft }) => (
        <text
          key={id}
          x={isLeft ? at.x - LABEL_GAP_PX : at.x + LABEL_GAP_PX}
          y={at.y + 5}
          text-anchor={isLeft ? 'end' : 'start'}
        >
          {text}
        </text>
      ))}
    </g>
  );
}

interface VehicleMarkProps {
  readonly device: LiveDevice;
  readonly tracks: Tracks;
  readonly isSelected: boolean;
  /** `null` while points are drawn: then a press on the mark is a press on the map. */
  readonly onSelect: ((deviceId: string) => void) | null;
  readonly onFocus: (position: Point) => void;
}

/** Draws a device at its place, with the direction of its last movement. */
function VehicleMark({ device, tracks, isSelected, onSelect, onFocus }: VehicleMarkProps) {
  const { live } = useConsole();
  const view = useView();
  const { common, map } = texts.value;
  const { device_id: deviceId, name, status } = device.value;
  const position = positionOf(device.value);
  if (position === null) return null;
  const { x, y } = screenOf(position.point, view);
  const heading = headingOf(tracks.of(deviceId).value);
  const isLost = useIsLost();
  const form = position.quality === 'good' && isLost ? 'stale' : position.quality;
  const severity = worstOf([...live.site.alerts.all.value.values()], deviceId);
  const words = [
    name,
    common.deviceStatuses[status],
    ...(form === 'good' ? [] : [map.positionQualities[form]]),
    ...(severity === null ? [] : [common.severities[severity]]),
  ];
  const select = (): void => onSelect?.(deviceId);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button of HTML cannot be inside a drawing
    <g
      class={`map-vehicle ${status} ${form} ${isSelected ? 'selected' : ''}`}
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      tabindex={onSelect === null ? -1 : 0}
      role="button"
      aria-pressed={isSelected}
      aria-disabled={onSelect === null}
      aria-label={words.join(', ')}
      onPointerDown={(event) => {
        if (onSelect !== null) event.stopPropagation();
      }}
      onClick={select}
      onFocus={({ currentTarget }) => {
        onFocus(position.point);
        // The browser has scrolled to the former place of the mark, which was not on the map until now.
        if (currentTarget.matches(':focus-visible')) {
          queueMicrotask(() => currentTarget.scrollIntoView({ block: 'nearest' }));
        }
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        select();
      }}
    >
      <circle class="touch" r="22" />
      <circle class="body" r="13" />
      {heading !== null && (
        <path class="heading" d="M0-22 5-14H-5z" transform={`rotate(${heading.toFixed(0)})`} />
      )}
      <path class="sign" d={signOf(device.value)} />
      {severity !== null && (
        <svg x="5" y="-21" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <path class={`alarm ${severity}`} d={SEVERITY_SHAPES[severity]} />
        </svg>
      )}
    </g>
  );
}

const ROVER = 'M-6-2.500H2L6 0V3H-6zM-3.500 3a1.500 1.500 0 1 0 .1 0M3.500 3a1.500 1.500 0 1 0 .1 0';
const DRONE = 'M-5-4 5 4M5-4-5 4M-7-4H-3M3-4H7M-7 4H-3M3 4H7';

/** The sign of a device. Rovers and drones have the same profile; only the name of the model says that a device is a drone. */
const signOf = ({ model }: Pick<FleetDevice, 'model'>): string =>
  /drone|copter|uav/i.test(model ?? '') ? DRONE : ROVER;

/** The severity of the most urgent unacknowledged alert of a device. */
function worstOf(alerts: readonly FleetAlert[], deviceId: string): AlertSeverity | null {
  const own = alerts.filter((alert) => alert.device_id === deviceId && isUnacknowledged(alert));
  return ALERT_SEVERITIES.findLast((severity) => own.some((alert) => alert.severity === severity)) ?? null;
}

/** Draws where a device was in the last two hours, fading with age. */
function VehicleTrack({ device, tracks }: { readonly device: LiveDevice; readonly tracks: Tracks }) {
  const { live } = useConsole();
  const view = useView();
  const { device_id: deviceId } = device.peek();
  const isLive = live.connection.current.value.state === 'live';
  useEffect(() => {
    const closed = new AbortController();
    // Without its track the device is still on the map, and the track is read again with the next connection.
    if (isLive) tracks.read(deviceId, live.site.clock.nowMs.peek(), closed.signal).catch(() => undefined);
    const stop = effect(() => {
      const position = positionOf(device.value);
      if (position !== null) tracks.extend(deviceId, position);
    });
    return () => {
      closed.abort();
      stop();
    };
  }, [deviceId, isLive]);
  return (
    <g class="map-track">
      {trackParts(tracks.of(deviceId).value, live.site.clock.nowMs.peek()).map(
        ({ points, strength }, index) => (
          <path
            key={index}
            d={pathOf(points, view)}
            stroke-opacity={OPACITY_MIN + (1 - OPACITY_MIN) * strength}
          />
        ),
      )}
    </g>
  );
}
