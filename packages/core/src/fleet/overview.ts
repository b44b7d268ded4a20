import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import type { Overview } from '@granary/contract/fleet';
import { PROFILE_NAMES, type ProfileName } from '@granary/contract/profiles/profiles';
import { toIso } from '@granary/contract/time';
import { type AttentionFacts, attentionList } from './attention.ts';

export interface FleetCounts {
  readonly lastEventId: number;
  /** All devices by profile, and how many of them are not online. */
  readonly devices: {
    readonly byProfile: readonly (readonly [profile: ProfileName, count: number])[];
    readonly offline: number;
    readonly maintenance: number;
  };
  readonly alerts: readonly (readonly [severity: AlertSeverity, total: number, unacknowledged: number])[];
  readonly jobs: Overview['under_way'];
  readonly emergencyStops: Overview['emergency_stops'];
}

/** The answer has every name, also a name with the count 0. */
const forEach = <Name extends string, Value>(
  names: readonly Name[],
  valueFor: (name: Name) => Value,
): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, valueFor(name)])) as Record<Name, Value>;

export function overviewRecord(counts: FleetCounts, facts: AttentionFacts, nowMs: number): Overview {
  const { devices, alerts } = counts;
  const { offline, maintenance } = devices;
  const ofProfile = new Map(devices.byProfile);
  const total = ofProfile.values().reduce((sum, count) => sum + count, 0);
  return {
    at: toIso(nowMs),
    last_event_id: counts.lastEventId,
    devices: {
      total,
      by_status: { online: total - offline - maintenance, offline, maintenance },
      by_profile: forEach(PROFILE_NAMES, (name) => ofProfile.get(name) ?? 0),
    },
    open_alerts: forEach(ALERT_SEVERITIES, (name) => {
      const [, total = 0, unacknowledged = 0] = alerts.find(([severity]) => severity === name) ?? [];
      return { total, unacknowledged };
    }),
    under_way: counts.jobs,
    emergency_stops: counts.emergencyStops,
    ...attentionList(facts, nowMs),
  };
}
