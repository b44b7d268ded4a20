import type { FleetAlert } from '@granary/contract/fleet/records';
import { useConsole, useScope } from '../console.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { useAction } from '../parts/forms/use-action.ts';
import { texts } from '../texts/texts.ts';
import { AcknowledgeButton } from './acknowledge/acknowledge-button.tsx';
import { isUnacknowledged } from './summary.ts';
import { useShelving } from './use-shelving.ts';

interface Props {
  readonly alert: FleetAlert;
  /** Opens the form. */
  readonly onShelve: (alert: FleetAlert) => void;
}

/** What can be done with one alert now. */
export function AlertActions({ alert, onShelve }: Props) {
  const { live } = useConsole();
  const { alerts } = texts.value;
  const { unshelve } = useShelving();
  const { run, isRunning, failure } = useAction();
  if (!useScope('operate') || alert.status === 'resolved') return null;
  const isLost = live.connection.current.value.state === 'lost';
  return (
    <span class="alerts-actions">
      {isUnacknowledged(alert) && <AcknowledgeButton alert={alert} />}
      {alert.shelved_until === null ? (
        <Button isDisabled={isLost} onPress={() => onShelve(alert)}>
          {alerts.shelve}
        </Button>
      ) : (
        <Button isBusy={isRunning} isDisabled={isLost} onPress={() => void run(() => unshelve(alert))}>
          {alerts.unshelve}
        </Button>
      )}
      <Failure of={failure} />
    </span>
  );
}
