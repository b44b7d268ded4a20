import type {
  SiloConfiguration,
  SiloConfigurationPatch,
} from '@granary/contract/configuration/silo-configuration';
import { levelValueConditions } from '../alerts/rules/level-rules.ts';
import { type SiloFacts, siloRules } from '../alerts/rules/silo-rules.ts';
import { applyPatch, initialConfiguration } from '../configuration/silo-configuration.ts';
import { toGrams } from '../units.ts';
import type { DeviceFacts, DeviceProfile } from './profile.ts';

export const siloScale: DeviceProfile<SiloConfiguration, SiloConfigurationPatch> = {
  initialConfiguration,
  patchConfiguration: applyPatch,
  conditionsOf: (facts, nowMs) => siloRules.conditionsOf({ ...facts, ...withCapacity(facts) }, nowMs),
  timesMs: (facts) => siloRules.timesMs({ ...facts, ...withCapacity(facts) }),
  valueConditions: (facts) =>
    levelValueConditions(facts.configuration, toGrams(withCapacity(facts).capacityKg, 'kg')),
};

/** Every silo is registered with a capacity. */
function withCapacity(facts: DeviceFacts<SiloConfiguration>): SiloFacts {
  const { capacityKg } = facts;
  if (capacityKg === undefined) throw new Error('the silo has no capacity');
  return { ...facts, capacityKg };
}
