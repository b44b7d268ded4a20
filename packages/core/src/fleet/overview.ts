import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import { DEVICE_STATUSES, type DeviceStatus } from '@granary/contract/devices/statuses';
import type { Overview } from '@granary/contract/fleet/overview';
import { PROFILE_NAMES, type ProfileName } from '@granary/contract/profiles/profiles';
import { toIso } from '@granary/contract/time';
import { type AttentionFacts, attentionItems } from './attention.ts';

export interface FleetCounts {
  readonly devices: readonly (readonly [profile: ProfileName, status: DeviceStatus, count: number])[];
  readonly alerts: readonly (readonly [severity: AlertSeverity, total: number, unacknowledged: number])[];
  readonly jobs: Overview['under_way'];
  readonly emergencyStops: Overview['emergency_stops'];
}

/** The answer has every name, also those of which there is nothing. */
const forEach = <Name extends string, Value>(
  names: readonly Name[],
  valueFor: (name: Name) => Value,
): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, valueFor(name)])) as Record<Name, Value>;

const tally = <Name extends string>(
  names: readonly Name[],
  counts: readonly (readonly [name: Name, count: number])[],
): Record<Name, number> =>
  forEach(names, (name) => sum(counts.flatMap(([own, count]) => (own === name ? [count] : []))));

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

export function overviewRecord(counts: FleetCounts, facts: AttentionFacts, nowMs: number): Overview {
  const { devices, alerts } = counts;
  return {
    at: toIso(nowMs),
    devices: {
      total: sum(devices.map(([, , count]) => count)),
      by_status: tally(
        DEVICE_STATUSES,
        devices.map(([, status, count]) => [status, count]),
      ),
      by_profile: tally(
        PROFILE_NAMES,
        devices.map(([profile, , count]) => [profile, count]),
      ),
    },
    open_alerts: forEach(ALERT_SEVERITIES, (name) => {
      const [, total = 0, unacknowledged = 0] = alerts.find(([severity]) => severity === name) ?? [];
      return { total, unacknowledged };
    }),
    under_way: counts.jobs,
    emergency_stops: counts.emergencyStops,
    attention: attentionItems(facts, nowMs),
  };
}
