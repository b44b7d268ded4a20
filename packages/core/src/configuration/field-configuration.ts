import type {
  FieldConfiguration,
  FieldConfigurationPatch,
} from '@granary/contract/configuration/field-configuration';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { DEFAULT_MONITORING, patchMonitoring } from '../alerts/monitoring.ts';
import { isInside, refuseBadFence } from '../geometry.ts';
import { initialMaintenance, patchMaintenance } from './rule-checks.ts';

/** The initial configuration of a field device: low speed, a battery reserve, no geofence, and no base, so that it holds where it is. */
export function initialFieldConfiguration(nowMs: number): FieldConfiguration {
  return {
    base: null,
    geofence: null,
    motion: { speed_m_s: 1.5 },
    battery: { reserve_percent: 20, percent_per_km: 4, percent_per_hour: 6 },
    thresholds: { low_battery: 25, critical_battery: 10 },
    failsafe: {
      link_loss_action: 'hold',
      low_battery_action: 'hold',
      geofence_breach_action: 'hold',
    },
    maintenance: initialMaintenance(nowMs),
    ...DEFAULT_MONITORING,
  };
}

/** Merges the patch into the configuration, and refuses a result that contradicts itself. */
export function applyFieldPatch(
  current: FieldConfiguration,
  patch: FieldConfigurationPatch,
): FieldConfiguration {
  const changed: FieldConfiguration = {
    base: patch.base === undefined ? current.base : patch.base && { altitude: 0, ...patch.base },
    geofence: patch.geofence === undefined ? current.geofence : patch.geofence,
    motion: { ...current.motion, ...patch.motion },
    battery: { ...current.battery, ...patch.battery },
    thresholds: { ...current.thresholds, ...patch.thresholds },
    failsafe: { ...current.failsafe, ...patch.failsafe },
    maintenance: patchMaintenance(current.maintenance, patch.maintenance),
    ...patchMonitoring(current, patch),
  };
  refuseContradiction(changed);
  return changed;
}

function refuseContradiction({ base, geofence, thresholds, failsafe }: FieldConfiguration): void {
  if (base === null) refuseReturn(failsafe);
  const { low_battery, critical_battery } = thresholds;
  if (critical_battery >= low_battery) {
    const message = sentence('critical_battery_not_below_low', {
      critical: critical_battery,
      low: low_battery,
    });
    throw new Refusal('invalid_input', message, [
      issueOf('/thresholds/critical_battery', sentence('must_be_below_low_battery', { limit: low_battery })),
    ]);
  }
  if (geofence === null) return;
  refuseBadFence(geofence);
  if (base !== null && !isInside(geofence, { lat: base.latitude, lng: base.longitude })) {
    throw new Refusal('outside_geofence', sentence('base_outside_fence'), [
      { path: '/base', message: 'lies outside the geofence' },
    ]);
  }
}

/** A device cannot return to a base that it does not have. */
function refuseReturn(failsafe: FieldConfiguration['failsafe']): void {
  const details = Object.entries(failsafe).flatMap(([name, action]) =>
    action === 'return_to_base' ? [{ path: `/failsafe/${name}`, message: 'needs a base' }] : [],
  );
  if (details.length === 0) return;
  throw new Refusal('no_base', sentence('no_base_for_failsafe'), details);
}
