import { Refusal } from '@granary/contract/errors';
import type { Capability } from '@granary/contract/profiles/profile';
import {
  type ConfigurationPatch,
  type DeviceConfiguration,
  PROFILES,
  type ProfileName,
} from '@granary/contract/profiles/profiles';
import { inWords } from '@granary/contract/sentences/writing';
import type { AlertFacts, AlertRules } from '../alerts/evaluation.ts';
import type { ValueCondition } from '../alerts/no-change-ranges.ts';
import type { FieldFacts } from '../alerts/rules/field-rules.ts';
import type { ForesightAlarms } from '../alerts/rules/foresight-rules.ts';
import type { SiloFacts } from '../alerts/rules/silo-rules.ts';
import type { CommandState } from '../commands/state.ts';
import type { MissionState } from '../missions/state.ts';
import type { OperationState } from '../operations/state.ts';

export const hasCapability = (profile: ProfileName, capability: Capability): boolean =>
  PROFILES[profile].capabilities.includes(capability);

export const unsupported = (profile: ProfileName, capability: Capability): Refusal =>
  new Refusal('not_supported', `a ${inWords(profile)} takes no ${capability}`);

/** Refuses a request for a capability that the profile does not have. */
export function refuseUnsupported(profile: ProfileName, capability: Capability): void {
  if (!hasCapability(profile, capability)) throw unsupported(profile, capability);
}

/** If a profile has a capability, its configuration and the properties of its devices have all that the capability needs. */
export const areFactsFor = <Wanted extends Capability>(
  facts: DeviceFacts,
  capability: Wanted,
): facts is DeviceFacts & FactsFor[Wanted] => hasCapability(facts.profile, capability);

/** The facts for decisions about a device; jobs that its profile cannot have are empty. */
export interface DeviceFacts<Configuration = DeviceConfiguration> extends AlertFacts {
  readonly profile: ProfileName;
  readonly configuration: Configuration & AlertFacts['configuration'];
  /** The latest operation, and all others that occupy the device. */
  readonly operations: readonly OperationState[];
  /** The mission that ended last, and those that occupy the device. */
  readonly missions: readonly MissionState[];
  /** The meaning of the last forecast for the alerts; `null` without a forecast. */
  readonly foresight?: ForesightAlarms | null;
  /** Contains the unfinished commands only. */
  readonly commands: readonly CommandState[];
}

/** The decisions of a profile; its messages and schemas are in `contract/src/profiles`. */
export interface DeviceProfile<Configuration = DeviceConfiguration, Patch = ConfigurationPatch>
  extends AlertRules<DeviceFacts<Configuration>> {
  /** The configuration of a new device. */
  initialConfiguration(nowMs: number): Configuration;
  /** Merges the patch into the configuration, and refuses a result that contradicts itself. */
  patchConfiguration(current: Configuration, patch: Patch): Configuration;
  /** The conditions, apart from threshold rules, that follow from single values; `null` when every reading must be evaluated. */
  valueConditions(facts: DeviceFacts<Configuration>): readonly ValueCondition[] | null;
}

/** The additional facts for each capability. */
export interface FactsFor {
  readonly operations: SiloFacts;
  readonly commands: FieldFacts;
  readonly missions: FieldFacts;
}
