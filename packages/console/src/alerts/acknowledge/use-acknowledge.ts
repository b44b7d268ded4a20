import type { FleetAlert } from '@granary/contract/fleet/records';
import { callOptions, useConsole } from '../../console.ts';
import { acknowledge } from './acknowledge.ts';
import { tellOutcome } from './outcomes.ts';

/** Acknowledges in the name of the person, or of the key where no name is given; that somebody else was first is told in the alarm bar. */
export function useAcknowledge(): (alerts: readonly FleetAlert[], note?: string) => Promise<void> {
  const console = useConsole();
  const { client, live, preferences, session } = console;
  return async (alerts, note = '') => {
    const acknowledged_by = preferences.person.peek().trim() || session.name;
    const person = note === '' ? { acknowledged_by } : { acknowledged_by, note };
    const ids = alerts.map(({ alert_id }) => alert_id);
    const acknowledged = await acknowledge(client, ids, person, callOptions(console));
    for (const alert of acknowledged.alerts) live.site.alerts.put(alert);
    tellOutcome(acknowledged);
  };
}
