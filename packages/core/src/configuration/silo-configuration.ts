import type { Maintenance } from '@granary/contract/configuration/shared-configuration';
import type {
  SiloConfiguration,
  SiloConfigurationPatch,
} from '@granary/contract/configuration/silo-configuration';
import { Refusal } from '@granary/contract/errors';
import { checkedTimeMs, HOUR_MS, toIso } from '@granary/contract/time';
import { DEFAULT_MONITORING, patchMonitoring } from '../alerts/monitoring.ts';

const MAINTENANCE_INTERVAL_HOURS = 2_160;

/** The initial configuration of a silo, which is safe for any scale. */
export function initialConfiguration(nowMs: number): SiloConfiguration {
  return {
    thresholds: { low_level: 20, high_level: 90, critical_level: 10 },
    operation_limits: { max_feed_rate: 100, max_discharge_rate: 100, rate_unit: 'kg/min' },
    maintenance: initialMaintenance(nowMs),
    ...DEFAULT_MONITORING,
  };
}

export const initialMaintenance = (nowMs: number): Maintenance => ({
  next_scheduled: toIso(nowMs + MAINTENANCE_INTERVAL_HOURS * HOUR_MS),
  interval_hours: MAINTENANCE_INTERVAL_HOURS,
});

/** A time is stored in UTC, whichever offset it was given in. */
export function patchMaintenance(current: Maintenance, patch: Partial<Maintenance> = {}): Maintenance {
  const changed = { ...current, ...patch };
  return { ...changed, next_scheduled: toIso(checkedTimeMs(changed.next_scheduled)) };
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
    throw new Refusal('invalid_input', `low_level ${low_level} must be below high_level ${high_level}`, [
      { path: '/thresholds/low_level', message: `must be below high_level (${high_level})` },
    ]);
  }
  if (critical_level >= low_level && critical_level <= high_level) {
    throw new Refusal(
      'critical_level_between_thresholds',
      `critical_level ${critical_level} must lie below low_level ${low_level} or above high_level ${high_level}`,
      [{ path: '/thresholds/critical_level', message: 'must lie outside low_level to high_level' }],
    );
  }
}
