import type { Capability } from '@granary/contract/profiles/profile';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';

export const hasCapability = (profile: ProfileName, capability: Capability): boolean =>
  PROFILES[profile].capabilities.includes(capability);
