import type { LiveDevice } from '../../live/devices.ts';
import { isVisible, screenOf } from '../surface/projection.ts';
import { useView } from '../surface/surface-context.ts';
import { labelsWithRoom, shortened } from './labels.ts';
import type { Tracks } from './tracks.ts';
import { positionOf } from './vehicle.ts';
import { VehicleMark } from './vehicle-mark.tsx';
import { VehicleTrack } from './vehicle-track.tsx';

/** Of more devices only the selected one and those on a mission have a track. */
const TRACKS_MAX = 20;
/** Of more devices only the selected one has its name beside it. */
const LABELS_MAX = 60;
const LABEL_GAP_PX = 18;

interface Props {
  /** The selected one, then those on a mission, then the others. */
  readonly devices: readonly LiveDevice[];
  readonly tracks: Tracks;
  readonly selectedId: string | null;
  /** `null` while points are drawn. */
  readonly onSelect: ((deviceId: string) => void) | null;
}

export const VehicleLayer = ({ devices, tracks, selectedId, onSelect }: Props) => (
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
