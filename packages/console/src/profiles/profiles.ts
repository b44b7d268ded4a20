import type { ProfileName } from '@granary/contract/profiles/profiles';
import { texts } from '../texts.ts';
import type { ProfileView } from './profile.ts';
import { rover } from './rover.tsx';
import { siloScale } from './silo-scale.tsx';
import { weatherStation } from './weather-station.tsx';

const VIEWS: Readonly<Record<ProfileName, ProfileView>> = {
  silo_scale: siloScale,
  rover,
  weather_station: weatherStation,
};

/** The view of a profile; a device whose profile the page does not know is shown by its values. */
export const profileOf = (profile: ProfileName): ProfileView => VIEWS[profile] ?? weatherStation;

export function profileNames(profile: ProfileName): { readonly one: string; readonly many: string } {
  const names: Readonly<Partial<Record<ProfileName, { one: string; many: string }>>> =
    texts.value.common.profiles;
  return names[profile] ?? { one: profile, many: profile };
}
