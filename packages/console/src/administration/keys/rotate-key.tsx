import type { KeyRecord } from '@granary/contract/keys';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { bound, TextInput } from '../../parts/forms/inputs.tsx';
import { texts } from '../../texts/texts.ts';
import { SecretDialog } from '../secret-dialog.tsx';

const USUAL_OVERLAP_MIN = 60;
const OVERLAP_MIN_MAX = 30 * 24 * 60;

interface Props {
  readonly keyRecord: KeyRecord;
  readonly onClose: () => void;
}

export function RotateKey({ keyRecord: { key_id, name }, onClose }: Props) {
  const console = useConsole();
  const { keys } = texts.value;
  const minutes = useSignal(String(USUAL_OVERLAP_MIN));
  const issued = useSignal<string | null>(null);
  if (issued.value !== null) {
    return (
      <SecretDialog title={keys.issued(name)} label={keys.key} secret={issued.value} onClose={onClose} />
    );
  }
  return (
    <FormDialog
      title={keys.rotateOf(name)}
      submit={keys.rotate}
      staysOpen
      onSubmit={async () => {
        const rotation = { overlap_seconds: Math.round(Number(minutes.peek()) * 60) };
        issued.value = (await console.client.keys.rotate(key_id, rotation, callOptions(console))).key;
      }}
      onClose={onClose}
    >
      <p>{keys.rotateMeans}</p>
      <TextInput
        label={keys.overlap}
        type="number"
        min={0}
        max={OVERLAP_MIN_MAX}
        isRequired
        {...bound(minutes)}
      />
    </FormDialog>
  );
}
