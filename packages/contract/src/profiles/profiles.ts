import { type Static, type TSchema, Type } from 'typebox';
import type { Checker } from '../input/schema.ts';
import type { DeviceTelemetry } from '../telemetry/telemetry.ts';
import { DEFAULT_PROFILES, type DeviceGroup } from './groups.ts';
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

/** The configuration of a device of any profile. */
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

/** The names of the device groups in texts for people. */
export const GROUP_TITLES = {
  silo: 'silo scales',
  field: 'field devices',
} as const satisfies Record<DeviceGroup, string>;

export const profileNamesOf = (group: DeviceGroup): readonly ProfileName[] =>
  PROFILE_NAMES.filter((name) => PROFILES[name].group === group);

type Profile = (typeof PROFILES)[keyof typeof PROFILES];

/** Accepts a value that any profile of the group accepts. For other values it returns the faults of the default profile. */
function anyOfGroup<Value>(
  group: DeviceGroup,
  checkOf: (profile: Profile) => Checker<unknown>,
): Checker<Value> {
  const usual = checkOf(PROFILES[DEFAULT_PROFILES[group]]);
  const checks = profileNamesOf(group).map((name) => checkOf(PROFILES[name]));
  const isAccepted = (value: unknown) => checks.some((check) => check.accepts(value));
  return {
    schema: eitherOf(checks.map(({ schema }) => schema)),
    accepts: (value): value is Value => isAccepted(value),
    faults: (value) => (isAccepted(value) ? [] : usual.faults(value)),
  };
}

function eitherOf(schemas: readonly TSchema[]): TSchema {
  const [first, ...others] = schemas;
  return first === undefined || others.length > 0 ? Type.Union([...schemas]) : first;
}

/** The telemetry of any device of a group. Which values a device may send depends on its profile. */
export const telemetryCheckOf = (group: DeviceGroup): Checker<DeviceTelemetry> =>
  anyOfGroup(group, ({ checkTelemetry }) => checkTelemetry);

export const configurationPatchCheckOf = <Group extends DeviceGroup>(
  group: Group,
): Checker<ConfigurationPatchOf<Group>> =>
  anyOfGroup(group, ({ checkConfigurationPatch }) => checkConfigurationPatch);

/** The configuration of any device of a group. */
export const configurationOf = <Group extends DeviceGroup>(group: Group) =>
  Type.Unsafe<ConfigurationOf<Group>>(
    eitherOf(profileNamesOf(group).map((name) => PROFILES[name].configuration)),
  );
