import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { DeviceProfile } from './profile.ts';
import { rover } from './rover.ts';
import { siloScale } from './silo-scale.ts';
import { weatherStation } from './weather-station.ts';

const DEVICE_PROFILES: Readonly<Record<ProfileName, DeviceProfile>> = {
  rover,
  silo_scale: siloScale,
  weather_station: weatherStation,
};

export const profileOf = (name: ProfileName): DeviceProfile => DEVICE_PROFILES[name];
