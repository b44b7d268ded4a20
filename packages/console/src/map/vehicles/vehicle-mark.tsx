import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import type { FleetAlert } from '@granary/contract/fleet/records';
import { isUnacknowledged } from '../../alerts/summary.ts';
import { useConsole } from '../../console.ts';
import type { LiveDevice } from '../../live/devices.ts';
import { SEVERITY_SHAPES } from '../../parts/severity-mark.tsx';
import { texts } from '../../texts/texts.ts';
import { screenOf } from '../surface/projection.ts';
import { useView } from '../surface/surface-context.ts';
import { headingOf } from './track.ts';
import type { Tracks } from './tracks.ts';
import { positionOf } from './vehicle.ts';

interface Props {
  readonly device: LiveDevice;
  readonly tracks: Tracks;
  readonly isSelected: boolean;
  /** `null` while points are drawn: then a press on the mark is a press on the map. */
  readonly onSelect: ((deviceId: string) => void) | null;
}

/** A device at its place, with the direction of its last movement. */
export function VehicleMark({ device, tracks, isSelected, onSelect }: Props) {
  const { live } = useConsole();
  const view = useView();
  const { common, map } = texts.value;
  const { device_id: deviceId, name, status } = device.value;
  const position = positionOf(device.value);
  if (position === null) return null;
  const { x, y } = screenOf(position.point, view);
  const heading = headingOf(tracks.of(deviceId).value);
  const isLost = live.connection.current.value.state === 'lost';
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
      tabIndex={onSelect === null ? -1 : 0}
      role="button"
      aria-pressed={isSelected}
      aria-disabled={onSelect === null}
      aria-label={words.join(', ')}
      onPointerDown={(event) => {
        if (onSelect !== null) event.stopPropagation();
      }}
      onClick={select}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        select();
      }}
    >
      <circle class="touch" r="22" />
      <circle class="body" r="10" />
      {heading !== null && (
        <path class="heading" d="M0-19 5-11H-5z" transform={`rotate(${heading.toFixed(0)})`} />
      )}
      <circle class="core" r="3" />
      {severity !== null && (
        <svg x="5" y="-21" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <path class={`alarm ${severity}`} d={SEVERITY_SHAPES[severity]} />
        </svg>
      )}
    </g>
  );
}

/** The most urgent alert of a device that nobody has acknowledged. */
function worstOf(alerts: readonly FleetAlert[], deviceId: string): AlertSeverity | null {
  const own = alerts.filter((alert) => alert.device_id === deviceId && isUnacknowledged(alert));
  return ALERT_SEVERITIES.findLast((severity) => own.some((alert) => alert.severity === severity)) ?? null;
}
