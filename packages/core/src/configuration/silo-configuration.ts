import { isTimeZone } from '@granary/common/time-zone';
import type {
  SiloConfiguration,
  SiloConfigurationPatch,
} from '@granary/contract/configuration/silo-configuration';
import { Refusal } from '@granary/contract/errors';
import {
  type Animals,
  SILO_USE_FIELDS,
  type SiloUse,
  type SiloUsePatch,
  type Supply,
} from '@granary/contract/foresight/silo-use';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { checkedTimeMs, parseTime } from '@granary/contract/time';
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
    ...patchedUse(current, patch),
  };
  refuseContradiction(changed.thresholds);
  return changed;
}

/** A field that is `null` in the patch is removed; the fields of `supply` are changed one by one. */
function patchedUse(current: SiloUse, patch: SiloUsePatch): SiloUse {
  if (patch.animals != null) refuseBadDays(patch.animals);
  if (patch.time_zone != null && !isTimeZone(patch.time_zone)) {
    refuse('/time_zone', sentence('must_be', { what: [sentence('time_zone_name')] }));
  }
  const wanted: SiloUsePatch = { ...current, ...patch };
  if (patch.supply != null)
    wanted.supply = patchedSupply(withoutNull({ ...current.supply, ...patch.supply }));
  return Object.fromEntries(
    SILO_USE_FIELDS.map((name) => [name, wanted[name]]).filter(([, value]) => value != null),
  );
}

const withoutNull = (supply: object): Supply =>
  Object.fromEntries(Object.entries(supply).filter(([, value]) => value !== null));

function patchedSupply({ planned, ...supply }: Supply): Supply {
  if (planned === undefined) return supply;
  const sorted = planned
    .map((delivery) => ({ delivery, atMs: checkedTimeMs(delivery.at) }))
    .toSorted((a, b) => a.atMs - b.atMs);
  if (sorted.some(({ atMs }, index) => atMs === sorted[index + 1]?.atMs)) {
    refuse('/supply/planned', sentence('must_not_have_two_at_once'));
  }
  return { ...supply, planned: sorted.map(({ delivery }) => delivery) };
}

function refuseBadDays({ started_on, ends_on }: Animals): void {
  for (const [name, day] of Object.entries({ started_on, ends_on })) {
    if (day !== undefined && parseTime(`${day}T00:00:00Z`) === null) {
      refuse(`/animals/${name}`, sentence('must_be', { what: [sentence('local_day')] }));
    }
  }
  if (ends_on !== undefined && ends_on <= started_on) {
    refuse('/animals/ends_on', sentence('must_be_after_start', { started: started_on }));
  }
}

function refuse(...fault: Parameters<typeof issueOf>): never {
  const issue = issueOf(...fault);
  throw new Refusal('invalid_input', `the configuration is not valid: ${issue.path} ${issue.message}`, [
    issue,
  ]);
}

function refuseContradiction({
  low_level,
  high_level,
  critical_level,
}: SiloConfiguration['thresholds']): void {
  if (low_level >= high_level) {
    throw new Refusal(
      'invalid_input',
      sentence('low_level_not_below_high', { low: low_level, high: high_level }),
      [issueOf('/thresholds/low_level', sentence('must_be_below_high_level', { limit: high_level }))],
    );
  }
  if (critical_level >= low_level && critical_level <= high_level) {
    throw new Refusal(
      'critical_level_between_thresholds',
      sentence('critical_level_between', { critical: critical_level, low: low_level, high: high_level }),
      [issueOf('/thresholds/critical_level', sentence('must_be_outside_levels'))],
    );
  }
}
