import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { ComponentType } from 'preact';
import { vehicle } from './rover.tsx';
import { siloScale } from './silo-scale.tsx';
import { weatherStation } from './weather-station.tsx';

type ForDevice = ComponentType<{ readonly device: FleetDevice }>;

/** How the devices of a profile are shown. */
export interface ProfileView {
  /** What is drawn at the left of a tile. */
  readonly Picture: ForDevice;
  /** What stands beside it, below the name. */
  readonly Values: ForDevice;
  /** The sensors of the last line of a tile, as long as there is nothing more important to say. */
  readonly minor: readonly string[];
}

const VIEWS: Readonly<Partial<Record<ProfileName, ProfileView>>> = {
  silo_scale: siloScale,
  rover: vehicle,
  weather_station: weatherStation,
};

/** Devices of a profile that this page does not know are shown by their values. */
export const profileOf = (profile: ProfileName): ProfileView => VIEWS[profile] ?? weatherStation;
