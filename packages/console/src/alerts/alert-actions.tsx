import type { FleetAlert } from '@granary/contract/fleet/records';
import { useSignal } from '@preact/signals';
import { useConsole, useScope } from '../console.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { texts } from '../texts/texts.ts';
import { AcknowledgeButton } from './acknowledge/acknowledge-button.tsx';
import { ShelveDialog } from './shelve-dialog.tsx';
import { isUnacknowledged } from './summary.ts';
import { useShelve } from './use-shelve.ts';

/** What can be done with one alert now. */
export function AlertActions({ alert }: { readonly alert: FleetAlert }) {
  const { live } = useConsole();
  const { alerts } = texts.value;
  const isShelving = useSignal(false);
  const { unshelve, isRunning, failure } = useShelve();
  if (!useScope('operate') || alert.status === 'resolved') return null;
  const isLost = live.connection.current.value.state === 'lost';
  const close = (): void => {
    isShelving.value = false;
  };
  return (
    <span class="alerts-actions">
      {isUnacknowledged(alert) && <AcknowledgeButton alert={alert} />}
      {alert.shelved_until === null ? (
        <Button
          isDisabled={isLost}
          onPress={() => {
            isShelving.value = true;
          }}
        >
          {alerts.shelve}
        </Button>
      ) : (
        <Button isBusy={isRunning} isDisabled={isLost} onPress={() => void unshelve(alert)}>
          {alerts.unshelve}
        </Button>
      )}
      <Failure of={failure} />
      {isShelving.value && <ShelveDialog alerts={[alert]} onClose={close} onDone={close} />}
    </span>
  );
}
