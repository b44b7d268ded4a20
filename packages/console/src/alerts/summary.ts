import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import type { FleetAlert } from '@granary/contract/fleet/records';

export interface AlertSummary {
  /** Open alerts that nobody has acknowledged. */
  readonly unacknowledged: Readonly<Record<AlertSeverity, number>>;
  /** The newest of the most severe ones, critical or warning: the one that is told in words. */
  readonly foremost: FleetAlert | null;
}

export const isUnacknowledged = ({ status }: Pick<FleetAlert, 'status'>): boolean =>
  status === 'active' || status === 'cleared';

export function summaryOf(alerts: readonly FleetAlert[]): AlertSummary {
  const waiting = alerts.filter(isUnacknowledged);
  const counts = ALERT_SEVERITIES.map(
    (severity) => [severity, waiting.filter((alert) => alert.severity === severity).length] as const,
  );
  const newestOf = (wanted: AlertSeverity): FleetAlert | null =>
    waiting
      .filter(({ severity }) => severity === wanted)
      .reduce<FleetAlert | null>(
        (newest, alert) => (newest === null || alert.created_at > newest.created_at ? alert : newest),
        null,
      );
  return {
    unacknowledged: Object.fromEntries(counts) as Record<AlertSeverity, number>,
    foremost: newestOf('critical') ?? newestOf('warning'),
  };
}
