import type {
  SiloConfiguration,
  SiloConfigurationPatch,
} from '@granary/contract/configuration/silo-configuration';
import { noChangeBand } from '../alerts/no-change-band.ts';
import { type SiloFacts, siloRules } from '../alerts/rules/silo-rules.ts';
import { applyPatch, initialConfiguration } from '../configuration/silo-configuration.ts';
import type { DeviceFacts, DeviceProfile } from './profile.ts';

export const siloScale: DeviceProfile<SiloConfiguration, SiloConfigurationPatch> = {
  initialConfiguration,
  patchConfiguration: applyPatch,
  conditionsOf: (facts, nowMs) => siloRules.conditionsOf({ ...facts, ...withCapacity(facts) }, nowMs),
  timesMs: (facts) => siloRules.timesMs({ ...facts, ...withCapacity(facts) }),
  noChangeBand: (facts, open) => noChangeBand(facts.configuration, open, withCapacity(facts).capacityKg),
};

/** Every silo is registered with a capacity. */
export function withCapacity(facts: DeviceFacts<SiloConfiguration>): SiloFacts {
  const { capacityKg } = facts;
  if (capacityKg === undefined) throw new Error('the silo has no capacity');
  return { ...facts, capacityKg };
}
