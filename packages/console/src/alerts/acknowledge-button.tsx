import type { FleetAlert } from '@granary/contract/fleet/records';
import { useConsole, useScope } from '../console.ts';
import { Button } from '../parts/button.tsx';
import { failureText } from '../parts/failure.tsx';
import { useAction } from '../parts/use-action.ts';
import { texts } from '../texts/texts.ts';

/** Acknowledges in the name of the person, or of the key where no name is given. */
export function AcknowledgeButton({ alert }: { readonly alert: FleetAlert }) {
  const { client, live, preferences, session } = useConsole();
  const { run, isRunning, failure } = useAction();
  if (!useScope('operate')) return null;
  const isLost = live.connection.current.value.state === 'lost';
  const acknowledge = async (): Promise<void> => {
    const acknowledged_by = preferences.person.peek() || session.name;
    const { results } = await client.fleet.acknowledgeAlerts({
      alert_ids: [alert.alert_id],
      acknowledged_by,
    });
    for (const { alert: changed } of results) if (changed !== null) live.site.alerts.put(changed);
  };
  const refused = failure === null ? '' : failureText(failure);
  return (
    <Button
      isBusy={isRunning}
      isDisabled={isLost}
      title={isLost ? texts.value.common.notWhileOffline : refused}
      onPress={() => void run(acknowledge)}
    >
      {texts.value.common.acknowledge}
    </Button>
  );
}
