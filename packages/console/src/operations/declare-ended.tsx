import type { EndDeclaration } from '@granary/contract/declared-end';
import { useSignal } from '@preact/signals';
import { useConsole } from '../console.ts';
import { DialogButton } from '../parts/forms/dialog-button.tsx';
import { FormDialog } from '../parts/forms/form-dialog.tsx';
import { bound, TextInput } from '../parts/forms/inputs.tsx';
import { texts } from '../texts/texts.ts';

interface Props {
  readonly what: string;
  readonly deviceId: string;
  readonly declare: (declaration: EndDeclaration) => Promise<void>;
}

/** Lets a person who has looked at the device say that a job does not run any more. */
export function DeclareEnded({ what, deviceId, declare }: Props) {
  const { live, preferences } = useConsole();
  const { jobs } = texts.value;
  const reason = useSignal('');
  const lookedBy = useSignal(preferences.person.peek());
  const title = jobs.declareEndedOf(what, live.site.devices.nameOf(deviceId));
  return (
    <DialogButton text={jobs.declareEnded} label={title}>
      {(close) => (
        <FormDialog
          title={title}
          submit={jobs.declareEnded}
          onSubmit={() => declare({ reason: reason.peek().trim(), looked_by: lookedBy.peek().trim() })}
          onClose={close}
        >
          <p>{jobs.declareMeans}</p>
          <TextInput label={jobs.reason} hint={jobs.reasonHint} isRequired {...bound(reason)} />
          <TextInput label={jobs.lookedBy} isRequired {...bound(lookedBy)} />
        </FormDialog>
      )}
    </DialogButton>
  );
}
