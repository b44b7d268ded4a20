import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { Point } from '@granary/contract/positions';
import type { Quality } from '@granary/contract/telemetry/telemetry';

/** Where a device is, as far as it has told. */
export interface DevicePosition {
  readonly point: Point;
  readonly altitude: number | null;
  /** The worse of the qualities of both coordinates. */
  readonly quality: Quality;
  readonly at: string;
}

const WORST_FIRST: readonly Quality[] = ['bad', 'stale', 'good'];

export function positionOf({ readings = {} }: Pick<FleetDevice, 'readings'>): DevicePosition | null {
  const { latitude, longitude, altitude } = readings;
  if (latitude === undefined || longitude === undefined) return null;
  const quality = WORST_FIRST.find((one) => one === latitude.quality || one === longitude.quality) ?? 'good';
  return {
    point: { lat: latitude.value, lng: longitude.value },
    altitude: altitude?.value ?? null,
    quality,
    at: latitude.timestamp < longitude.timestamp ? latitude.timestamp : longitude.timestamp,
  };
}
