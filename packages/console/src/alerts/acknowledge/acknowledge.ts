import type { Client } from '@granary/client';
import {
  type AcknowledgementResult,
  ALERTS_ACKNOWLEDGED_MAX,
  type FleetAlert,
} from '@granary/contract/fleet/records';

export interface Acknowledged {
  /** As they are now. */
  readonly alerts: readonly FleetAlert[];
  /** Somebody else was first; their name and note are the ones that are stored. */
  readonly byOthers: readonly FleetAlert[];
  readonly missing: number;
}

interface Person {
  readonly acknowledged_by: string;
  readonly note?: string;
}

/** Acknowledges any number of alerts; the service takes so many at once. */
export async function acknowledge(
  client: Pick<Client, 'fleet'>,
  alertIds: readonly string[],
  person: Person,
  options: Parameters<Client['fleet']['acknowledgeAlerts']>[1],
): Promise<Acknowledged> {
  const results: AcknowledgementResult[] = [];
  for (let first = 0; first < alertIds.length; first += ALERTS_ACKNOWLEDGED_MAX) {
    const alert_ids = alertIds.slice(first, first + ALERTS_ACKNOWLEDGED_MAX);
    results.push(...(await client.fleet.acknowledgeAlerts({ alert_ids, ...person }, options)).results);
  }
  const alerts = results.flatMap(({ alert }) => (alert === null ? [] : [alert]));
  return {
    alerts,
    byOthers: alerts.filter((alert) => !isOf(alert, person)),
    missing: results.length - alerts.length,
  };
}

const isOf = (alert: FleetAlert, { acknowledged_by, note }: Person): boolean =>
  alert.acknowledged_by === acknowledged_by && (note === undefined || alert.note === note);
