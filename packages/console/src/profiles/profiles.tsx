import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { ComponentType } from 'preact';
import { siloScale } from './silo-scale.tsx';
import { vehicle } from './vehicle.tsx';
import { weatherStation } from './weather-station.tsx';

/** How the devices of a profile are shown. */
export interface ProfileView {
  readonly Tile: ComponentType<{ readonly device: FleetDevice }>;
}

const VIEWS: Readonly<Partial<Record<ProfileName, ProfileView>>> = {
  silo_scale: siloScale,
  rover: vehicle,
  weather_station: weatherStation,
};

/** Devices of a profile that this page does not know are shown by their values. */
export const profileOf = (profile: ProfileName): ProfileView => VIEWS[profile] ?? weatherStation;
