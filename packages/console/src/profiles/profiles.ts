import type { ProfileName } from '@granary/contract/profiles/profiles';
import { language } from '../texts/texts.ts';
import type { ProfileNames, ProfileView } from './profile.ts';
import { rover } from './rover.tsx';
import { siloScale } from './silo-scale.tsx';
import { weatherStation } from './weather-station.tsx';

const VIEWS: Readonly<Record<ProfileName, ProfileView>> = {
  silo_scale: siloScale,
  rover,
  weather_station: weatherStation,
};

/** Devices of a profile that this page does not know yet are shown by their values. */
export const profileOf = (profile: ProfileName): ProfileView => VIEWS[profile] ?? weatherStation;

export const profileNames = (profile: ProfileName): ProfileNames =>
  VIEWS[profile]?.names[language.value] ?? { one: profile, many: profile };
