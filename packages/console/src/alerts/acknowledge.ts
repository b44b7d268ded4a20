import type { Client } from '@granary/client';
import type { AcknowledgementResult, FleetAlert } from '@granary/contract/fleet';
import { ALERTS_ACKNOWLEDGED_MAX } from '@granary/contract/outline';
import { signal } from '@preact/signals';
import { callOptions, personOf, useConsole } from '../context/console.ts';
import { withHidden } from '../live/site.ts';

const SHOWN_MS = 15_000;

/** The outcome of the last acknowledgement that the person must know: somebody else was first, or alerts are gone. `null`: neither. */
export const lastOutcome = signal<Acknowledged | null>(null);

export interface Acknowledged {
  /** The alerts as they are now. */
  readonly alerts: readonly FleetAlert[];
  /** The alerts that somebody else acknowledged first; the name and note of that person are stored. */
  readonly byOthers: readonly FleetAlert[];
  readonly missing: number;
}

interface Person {
  readonly acknowledged_by: string;
  readonly note?: string;
}

/** Acknowledges any number of alerts, in several requests because the service limits the number in each. */
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

function tellOutcome(acknowledged: Acknowledged): void {
  const isWorthTelling = acknowledged.byOthers.length > 0 || acknowledged.missing > 0;
  lastOutcome.value = isWorthTelling ? acknowledged : null;
  if (!isWorthTelling) return;
  setTimeout(() => {
    if (lastOutcome.peek() === acknowledged) lastOutcome.value = null;
  }, SHOWN_MS);
}

/** Acknowledges in the name of the person, or of the key where no name is given. The alarm bar says when somebody else was first. */
export function useAcknowledge(): (alerts: readonly FleetAlert[], note?: string) => Promise<void> {
  const console = useConsole();
  const { client, live, preferences, session } = console;
  return async (alerts, note = '') => {
    const acknowledged_by = personOf({ preferences, session }) || session.name;
    const person = note === '' ? { acknowledged_by } : { acknowledged_by, note };
    const ids = withHidden(live.site, alerts).map(({ alert_id }) => alert_id);
    const answer = acknowledge(client, ids, person, callOptions(console));
    await live.site.alerts.putAnswer(answer.then((acknowledged) => acknowledged.alerts));
    tellOutcome(await answer);
  };
}
