import type {
  SiloConfiguration,
  SiloConfigurationPatch,
} from '@granary/contract/configuration/silo-configuration';
import { Refusal } from '@granary/contract/errors';
import { DEFAULT_MONITORING, patchMonitoring } from '../alerts/monitoring.ts';
import { initialMaintenance, patchMaintenance } from './rule-checks.ts';

/** The initial configuration of a silo, which is safe for any scale. */
export function initialConfiguration(nowMs: number): SiloConfiguration {
  return {
    thresholds: { low_level: 20, high_level: 90, critical_level: 10 },
    operation_limits: { max_feed_rate: 100, max_discharge_rate: 100, rate_unit: 'kg/min' },
    maintenance: initialMaintenance(nowMs),
    ...DEFAULT_MONITORING,
  };
}

/** Merges the patch into the configuration, and refuses a result that contradicts itself. */
export function applyPatch(current: SiloConfiguration, patch: SiloConfigurationPatch): SiloConfiguration {
  const changed: SiloConfiguration = {
    thresholds: { ...current.thresholds, ...patch.thresholds },
    operation_limits: { ...current.operation_limits, ...patch.operation_limits },
    maintenance: patchMaintenance(current.maintenance, patch.maintenance),
    ...patchMonitoring(current, patch),
  };
  refuseContradiction(changed.thresholds);
  return changed;
}

function refuseContradiction({
  low_level,
  high_level,
  critical_level,
}: SiloConfiguration['thresholds']): void {
  if (low_level >= high_level) {
    throw new Refusal(
      'invalid_input',
      `the low level (${low_level} %) must be below the high level (${high_level} %)`,
      [{ path: '/thresholds/low_level', message: `must be below high_level (${high_level})` }],
    );
  }
  if (critical_level >= low_level && critical_level <= high_level) {
    throw new Refusal(
      'critical_level_between_thresholds',
      `the critical level (${critical_level} %) must be below the low level (${low_level} %) or above the high level (${high_level} %)`,
      [{ path: '/thresholds/critical_level', message: 'must lie outside low_level to high_level' }],
    );
  }
}
