import type { FleetAlert } from '@granary/contract/fleet/records';
import { type Signal, useSignal } from '@preact/signals';
import { useConsole, useScope } from '../console.ts';
import { Button } from '../parts/button.tsx';
import { texts } from '../texts/texts.ts';
import { AcknowledgeDialog } from './acknowledge/acknowledge-dialog.tsx';
import { ShelveDialog } from './shelve-dialog.tsx';
import { isUnacknowledged } from './summary.ts';

interface Props {
  /** Those that the list shows. */
  readonly alerts: readonly FleetAlert[];
  readonly selected: Signal<ReadonlySet<string>>;
}

/** What can be done with several alerts at once. It is always there, so that selecting moves nothing. */
export function SelectionBar({ alerts, selected }: Props) {
  const { live } = useConsole();
  const { alerts: words } = texts.value;
  const form = useSignal<'acknowledge' | 'shelve' | null>(null);
  if (!useScope('operate')) return null;
  const selectable = alerts.filter(({ status }) => status !== 'resolved');
  const chosen = selectable.filter(({ alert_id }) => selected.value.has(alert_id));
  const isLost = live.connection.current.value.state === 'lost';
  const areAll = chosen.length > 0 && chosen.length === selectable.length;
  const close = (): void => {
    form.value = null;
  };
  const done = (): void => {
    close();
    selected.value = new Set();
  };
  const shelvable = chosen.filter(({ shelved_until }) => shelved_until === null);
  return (
    <div class="alerts-selection">
      <label>
        <input
          type="checkbox"
          checked={areAll}
          onChange={() => {
            selected.value = new Set(areAll ? [] : selectable.map(({ alert_id }) => alert_id));
          }}
        />
        {chosen.length === 0 ? words.selectAll : words.selectedCount(chosen.length)}
      </label>
      <Button
        isDisabled={isLost || !chosen.some(isUnacknowledged)}
        onPress={() => {
          form.value = 'acknowledge';
        }}
      >
        {words.acknowledgeWithNote}
      </Button>
      <Button
        isDisabled={isLost || shelvable.length === 0}
        onPress={() => {
          form.value = 'shelve';
        }}
      >
        {words.shelve}
      </Button>
      {form.value === 'acknowledge' && <AcknowledgeDialog alerts={chosen} onClose={close} onDone={done} />}
      {form.value === 'shelve' && <ShelveDialog alerts={shelvable} onClose={close} onDone={done} />}
    </div>
  );
}
