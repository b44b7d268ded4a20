import type { Versioned } from '@granary/client';
import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { useConsole } from '../context/console.ts';
import { type Loaded, useLoadedOfDevice } from '../kit/use-loaded.ts';
import { texts } from '../texts/texts.ts';
import { pathOf, screenOf } from './surface/projection.ts';
import { useView } from './surface/surface-context.ts';

interface Props {
  readonly deviceId: string;
  readonly isSelected: boolean;
  /** While the geofence is edited, the editor draws it. */
  readonly hasGeofence: boolean;
}

/** The geofence of a vehicle as a line, and its base. */
export function VehicleGround({ deviceId, isSelected, hasGeofence }: Props) {
  const view = useView();
  const { map } = texts.value;
  const configuration = useFieldConfiguration(deviceId).value?.configuration;
  if (configuration === undefined) return null;
  const { geofence, base } = configuration;
  const at = base === null ? null : screenOf({ lat: base.latitude, lng: base.longitude }, view);
  return (
    <g class={`map-ground ${isSelected ? 'selected' : ''}`}>
      {hasGeofence && geofence !== null && <path class="fence" d={`${pathOf(geofence, view)}z`} />}
      {at !== null && (
        <path class="base" d="M-8 1 0-7 8 1M-5.500 0V7H5.500V0" transform={`translate(${at.x} ${at.y})`}>
          <title>{map.base}</title>
        </path>
      )}
    </g>
  );
}

/** The configuration of a vehicle with its version; read again when it changes. */
export function useFieldConfiguration(deviceId: string): Loaded<Versioned<FieldConfiguration> | null> {
  const { client } = useConsole();
  return useLoadedOfDevice(deviceId, /^configuration\.changed$/, async (signal) => {
    const { configuration, etag } = await client.configuration.field.get(deviceId, { signal });
    return 'geofence' in configuration ? { configuration, etag } : null;
  });
}
