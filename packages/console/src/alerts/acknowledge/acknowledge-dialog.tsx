import type { FleetAlert } from '@granary/contract/fleet/records';
import { useSignal } from '@preact/signals';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { bound } from '../../parts/forms/inputs.tsx';
import { TextArea } from '../../parts/forms/text-area.tsx';
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
  const { alerts: words } = texts.value;
  const note = useSignal('');
  const acknowledge = useAcknowledge();
  const waiting = alerts.filter(isUnacknowledged);
  return (
    <FormDialog
      title={words.acknowledgeTitle}
      submit={words.acknowledgeCount(waiting.length)}
      isIncomplete={waiting.length === 0}
      onSubmit={async () => {
        await acknowledge(waiting, note.peek().trim());
        onDone();
      }}
      onClose={onClose}
    >
      <AlertsInForm alerts={alerts} />
      <TextArea label={words.note} hint={words.noteHint} rows={3} maxLength={2_000} {...bound(note)} />
    </FormDialog>
  );
}
