import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import type { LiveDevice } from '../../live/devices.ts';
import { pathOf } from '../surface/path.ts';
import { useView } from '../surface/surface-context.ts';
import { trackParts } from './track.ts';
import type { Tracks } from './tracks.ts';
import { positionOf } from './vehicle.ts';

/** The oldest part is still visible. */
const OPACITY_MIN = 0.15;

interface Props {
  readonly device: LiveDevice;
  readonly tracks: Tracks;
}

/** Where a device was in the last two hours, fading with age. */
export function VehicleTrack({ device, tracks }: Props) {
  const { live } = useConsole();
  const view = useView();
  const { device_id: deviceId } = device.peek();
  const isLive = live.connection.current.value.state === 'live';
  useEffect(() => {
    const closed = new AbortController();
    // Without its track a device is still on the map, and the next connection reads it again.
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
