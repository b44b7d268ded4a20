import { type AlertStatistics, LISTED_MAX } from '@granary/contract/alert-statistics';

/** The part of the statistics that comes from the alerts that are open now. */
export type OpenAlerts = Pick<AlertStatistics, 'standing' | 'shelved'>;

/** The part of the statistics about the alerts that were raised in a period. */
export type RaiseStatistics = Omit<AlertStatistics, keyof OpenAlerts>;

export const NO_OPEN_ALERTS: OpenAlerts = { standing: { total: 0, alerts: [] }, shelved: 0 };

/** Joins the figures of two groups of open alerts. The list has the longest standing ones; those with an unknown start come first. */
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
