import type { TourClient } from './tour-client.ts';
import type { TourDevice } from './tour-device.ts';

/** The devices that the tour registers. */
export const SILOS = '/v1/siloscale/devices';
export const FIELD = '/v1/fielddevice/devices';
export const SILO = `${SILOS}/tour-silo`;
export const ROVER = `${FIELD}/tour-rover`;
export const HOME = { latitude: 48.2, longitude: 16.3, altitude: 170 };

export interface Tour {
  readonly client: TourClient;
  readonly silo: TourDevice;
  readonly rover: TourDevice;
}
