import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import type { FleetAlert } from '@granary/contract/fleet/records';
import { isUnacknowledged } from './summary.ts';

/** The lists of the view: the first two are always there and live, the others are read when they are opened. */
export const ALERT_LISTS = ['open', 'unacknowledged', 'shelved', 'history'] as const;
export type AlertList = (typeof ALERT_LISTS)[number];

/** Which alerts the view shows. It is in the address. */
export interface AlertFilter {
  readonly list: AlertList;
  readonly severity: AlertSeverity | null;
  readonly facility: string | null;
  readonly device: string | null;
}

/** What is not known is not filtered by, so that an old address still shows something. */
export const alertFilterOf = (query: URLSearchParams): AlertFilter => ({
  list: ALERT_LISTS.find((one) => one === query.get('list')) ?? 'open',
  severity: ALERT_SEVERITIES.find((one) => one === query.get('severity')) ?? null,
  facility: query.get('facility') || null,
  device: query.get('device') || null,
});

/** The alerts that wait for a person first, then the more severe ones, then the newer ones. */
export function chosenAlerts(
  alerts: readonly FleetAlert[],
  { list, severity, facility, device }: AlertFilter,
  facilityOf: (deviceId: string) => string | undefined,
): FleetAlert[] {
  return alerts
    .filter(
      (alert) =>
        (list !== 'unacknowledged' || isUnacknowledged(alert)) &&
        (severity === null || alert.severity === severity) &&
        (device === null || alert.device_id === device) &&
        (facility === null || facilityOf(alert.device_id) === facility),
    )
    .sort(mostUrgentFirst);
}

/** The filters of a list that the service filters. */
export const queryOf = ({ list, severity, facility, device }: AlertFilter) => ({
  status: list === 'shelved' ? ('shelved' as const) : ('all' as const),
  ...(severity === null ? {} : { severity }),
  ...(facility === null ? {} : { facility }),
  ...(device === null ? {} : { device_id: device }),
});

export function mostUrgentFirst(one: FleetAlert, other: FleetAlert): number {
  return (
    Number(isUnacknowledged(other)) - Number(isUnacknowledged(one)) ||
    urgencyOf(other) - urgencyOf(one) ||
    compared(other.created_at, one.created_at) ||
    compared(one.alert_id, other.alert_id)
  );
}

/** The more urgent, the greater. */
export const urgencyOf = ({ severity }: Pick<FleetAlert, 'severity'>): number =>
  ALERT_SEVERITIES.indexOf(severity);

const compared = (one: string, other: string): number => Number(one > other) - Number(one < other);
