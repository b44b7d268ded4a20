import type { Static } from 'typebox';
import type { DeviceGroup } from '../devices/groups.ts';
import type { ProfileContract } from './profile.ts';
import { rover } from './rover.ts';
import { siloScale } from './silo-scale.ts';
import { weatherStation } from './weather-station.ts';

/** Every profile under the name that callers and the database use. */
const REGISTRY = {
  rover,
  silo_scale: siloScale,
  weather_station: weatherStation,
};

type Registry = typeof REGISTRY;

export type ProfileName = keyof Registry;

/** Whatever the profile of a device makes of it. */
export type DeviceConfiguration = Static<Registry[ProfileName]['configuration']>;
export type ConfigurationPatch = PatchOf<Registry[ProfileName]>;

type ProfileOf<Group extends DeviceGroup> = Extract<Registry[ProfileName], { readonly group: Group }>;
export type ConfigurationOf<Group extends DeviceGroup> = Static<ProfileOf<Group>['configuration']>;
export type ConfigurationPatchOf<Group extends DeviceGroup> = PatchOf<ProfileOf<Group>>;

type PatchOf<Profile> = Profile extends ProfileContract<infer _Configuration, infer Patch> ? Patch : never;

export const PROFILES: Readonly<
  Record<ProfileName, ProfileContract<Registry[ProfileName]['configuration'], ConfigurationPatch>>
> = REGISTRY;

export const PROFILE_NAMES = Object.keys(PROFILES) as readonly ProfileName[];

/** What a device is registered as when its registration names no profile. */
export const DEFAULT_PROFILES = {
  silo: 'silo_scale',
  field: 'rover',
} as const satisfies Record<DeviceGroup, ProfileName>;

/** What a text for people calls the devices of a group. */
export const GROUP_TITLES = {
  silo: 'silo scales',
  field: 'field devices',
} as const satisfies Record<DeviceGroup, string>;

export const profileNamesOf = (group: DeviceGroup): readonly ProfileName[] =>
  PROFILE_NAMES.filter((name) => PROFILES[name].group === group);
