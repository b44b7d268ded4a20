import type { FleetAlert } from '@granary/contract/fleet/records';
import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { texts } from '../../texts/texts.ts';
import { AlertsInForm } from '../alerts-in-form.tsx';
import { isUnacknowledged } from '../summary.ts';
import { useAcknowledge } from './use-acknowledge.ts';

interface Props {
  readonly alerts: readonly FleetAlert[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Acknowledges one or many alerts with a note. Those that somebody else acknowledges meanwhile say so. */
export function AcknowledgeDialog({ alerts, onClose, onDone }: Props) {
  const { alerts: words, common } = texts.value;
  const note = useSignal('');
  const { run, isRunning, failure } = useAcknowledge();
  const waiting = alerts.filter(isUnacknowledged);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await run(waiting, note.peek().trim())) onDone();
  };
  return (
    <Dialog title={words.acknowledgeTitle} onClose={onClose}>
      <form class="alerts-form" onSubmit={(event) => void submit(event)}>
        <AlertsInForm alerts={alerts} />
        <Field label={words.note} hint={words.noteHint}>
          {(id) => (
            <textarea
              id={id}
              rows={3}
              maxLength={2_000}
              value={note.value}
              onInput={({ currentTarget }) => {
                note.value = currentTarget.value;
              }}
            />
          )}
        </Field>
        <Failure of={failure} />
        <div class="dialog-actions">
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={isRunning} isDisabled={waiting.length === 0}>
            {words.acknowledgeCount(waiting.length)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
