import { type TSchema, Type } from 'typebox';
import type { DeviceGroup } from '../devices/groups.ts';
import type { Checker } from '../input/schema.ts';
import type { DeviceTelemetry } from '../telemetry/telemetry.ts';
import {
  type ConfigurationOf,
  type ConfigurationPatchOf,
  DEFAULT_PROFILES,
  PROFILES,
  profileNamesOf,
} from './profiles.ts';

type Profile = (typeof PROFILES)[keyof typeof PROFILES];

/** Accepts what any profile of a group accepts. What none accepts has the faults that the default profile finds. */
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

/** The payload of every device of a group. Which of it a device may send depends on its profile. */
export const telemetryCheckOf = (group: DeviceGroup): Checker<DeviceTelemetry> =>
  anyOfGroup(group, ({ checkTelemetry }) => checkTelemetry);

export const configurationPatchCheckOf = <Group extends DeviceGroup>(
  group: Group,
): Checker<ConfigurationPatchOf<Group>> =>
  anyOfGroup(group, ({ checkConfigurationPatch }) => checkConfigurationPatch);

/** The configuration of every device of a group. */
export const configurationOf = <Group extends DeviceGroup>(group: Group) =>
  Type.Unsafe<ConfigurationOf<Group>>(
    eitherOf(profileNamesOf(group).map((name) => PROFILES[name].configuration)),
  );
