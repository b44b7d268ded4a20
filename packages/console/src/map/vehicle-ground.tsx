import type { Versioned } from '@granary/client';
import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import type { Point } from '@granary/contract/positions';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { type Loaded, useLoadedOfDevice } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { pathOf, screenOf } from './surface/projection.ts';
import { useView } from './surface/surface-context.ts';
import { shortened } from './vehicles.ts';

/** The name stands below the buttons of the map. */
const BELOW_BUTTONS_PX = 72;

interface Props {
  readonly deviceId: string;
  /** The name of the fenced ground. */
  readonly name: string;
  readonly isSelected: boolean;
  /** True while another vehicle is selected, whose fence is in force. */
  readonly isFaint: boolean;
  /** False while the geofence is edited, because the editor draws it then. */
  readonly hasGeofence: boolean;
  /** Called when the fence is known, so that the map can show all of it. */
  readonly onFence: (deviceId: string, fence: readonly Point[] | null) => void;
}

/** Draws the geofence of a vehicle as a line, and its base. */
export function VehicleGround({ deviceId, name, isSelected, isFaint, hasGeofence, onFence }: Props) {
  const view = useView();
  const { map } = texts.value;
  const configuration = useFieldConfiguration(deviceId).value?.configuration;
  const fence = configuration?.geofence;
  useEffect(() => {
    if (fence !== undefined) onFence(deviceId, fence);
  }, [fence]);
  if (configuration === undefined) return null;
  const { geofence, base } = configuration;
  const at = base === null ? null : screenOf({ lat: base.latitude, lng: base.longitude }, view);
  return (
    <g class={`map-ground ${isSelected ? 'selected' : ''} ${isFaint ? 'faint' : ''}`}>
      {hasGeofence && geofence !== null && <path class="fence" d={`${pathOf(geofence, view)}z`} />}
      {hasGeofence && geofence !== null && !isFaint && <FenceName fence={geofence} name={name} />}
      {at !== null && (
        <path class="base" d="M-8 1 0-7 8 1M-5.500 0V7H5.500V0" transform={`translate(${at.x} ${at.y})`}>
          <title>{map.base}</title>
        </path>
      )}
    </g>
  );
}

/** The name stands inside the northern corner of the fence, where the fewest vehicles are. */
function FenceName({ fence, name }: { readonly fence: readonly Point[]; readonly name: string }) {
  const view = useView();
  const corners = fence.map((point) => screenOf(point, view));
  const north = corners.toSorted((one, other) => one.y - other.y)[0];
  const middle = corners.reduce((sum, { x }) => sum + x, 0) / Math.max(1, corners.length);
  if (north === undefined) return null;
  return (
    <text
      class="fence-name"
      x={(north.x + middle) / 2}
      y={Math.max(north.y + 28, BELOW_BUTTONS_PX)}
      text-anchor="middle"
    >
      {shortened(name)}
    </text>
  );
}

/** The configuration of a vehicle with its version; it is read again when it changes. */
export function useFieldConfiguration(deviceId: string): Loaded<Versioned<FieldConfiguration> | null> {
  const { client } = useConsole();
  return useLoadedOfDevice(deviceId, /^configuration\.changed$/, async (signal) => {
    const { configuration, etag } = await client.configuration.field.get(deviceId, { signal });
    return 'geofence' in configuration ? { configuration, etag } : null;
  });
}
