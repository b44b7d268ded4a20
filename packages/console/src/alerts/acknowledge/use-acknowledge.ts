import type { FleetAlert } from '@granary/contract/fleet/records';
import { callOptions, useConsole } from '../../console.ts';
import { type Action, useAction } from '../../parts/forms/use-action.ts';
import { acknowledge } from './acknowledge.ts';
import { tellOutcome } from './outcomes.ts';

export interface AcknowledgeAction extends Omit<Action, 'run'> {
  /** Tells whether it succeeded; that somebody else was first is told in the alarm bar. */
  run(alerts: readonly FleetAlert[], note?: string): Promise<boolean>;
}

/** Acknowledges in the name of the person, or of the key where no name is given. */
export function useAcknowledge(): AcknowledgeAction {
  const console = useConsole();
  const { client, live, preferences, session } = console;
  const action = useAction();
  return {
    ...action,
    run: (alerts, note = '') =>
      action.run(async () => {
        const acknowledged_by = preferences.person.peek().trim() || session.name;
        const person = note === '' ? { acknowledged_by } : { acknowledged_by, note };
        const ids = alerts.map(({ alert_id }) => alert_id);
        const acknowledged = await acknowledge(client, ids, person, callOptions(console));
        for (const alert of acknowledged.alerts) live.site.alerts.put(alert);
        tellOutcome(acknowledged);
      }),
  };
}
