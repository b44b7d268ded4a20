import { type AlertStatistics, LISTED_MAX } from '@granary/contract/alert-statistics';

/** What the alerts that are open now add to the statistics. */
export type OpenAlerts = Pick<AlertStatistics, 'standing' | 'shelved'>;

/** What was raised in a time. */
export type RaiseStatistics = Omit<AlertStatistics, keyof OpenAlerts>;

export const NO_OPEN_ALERTS: OpenAlerts = { standing: { total: 0, alerts: [] }, shelved: 0 };

/** Of all open alerts, from two parts of them: the list has those that have stood longest, of which nothing is known first. */
export function openAlertsOf(one: OpenAlerts, other: OpenAlerts): OpenAlerts {
  const alerts = [...one.standing.alerts, ...other.standing.alerts].toSorted(
    (first, second) => sinceMs(first) - sinceMs(second),
  );
  return {
    standing: {
      total: one.standing.total + other.standing.total,
      alerts: alerts.slice(0, LISTED_MAX),
    },
    shelved: one.shelved + other.shelved,
  };
}

const sinceMs = ({ since }: OpenAlerts['standing']['alerts'][number]): number =>
  since === null ? 0 : Date.parse(since);
