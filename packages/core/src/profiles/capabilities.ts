import { Refusal } from '@granary/contract/errors';
import type { Capability } from '@granary/contract/profiles/profile';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import { inWords } from '../words.ts';
import type { DeviceFacts, FactsFor } from './profile.ts';

export const hasCapability = (profile: ProfileName, capability: Capability): boolean =>
  PROFILES[profile].capabilities.includes(capability);

export const unsupported = (profile: ProfileName, capability: Capability): Refusal =>
  new Refusal('not_supported', `a ${inWords(profile)} takes no ${capability}`);

/** Refuses a request for a capability that the profile does not have. */
export function refuseUnsupported(profile: ProfileName, capability: Capability): void {
  if (!hasCapability(profile, capability)) throw unsupported(profile, capability);
}

/** A profile with a capability has the configuration, and its devices the properties, that the capability needs. */
export const areFactsFor = <Wanted extends Capability>(
  facts: DeviceFacts,
  capability: Wanted,
): facts is DeviceFacts & FactsFor[Wanted] => hasCapability(facts.profile, capability);
