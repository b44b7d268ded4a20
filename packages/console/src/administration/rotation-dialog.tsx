import { useSignal } from '@preact/signals';
import { FormDialog } from '../parts/forms/form-dialog.tsx';
import { bound, TextInput } from '../parts/forms/inputs.tsx';
import { SecretDialog } from './secret-dialog.tsx';

const OVERLAP_DAYS_MAX = 30;
const SECONDS_PER_DAY = 86_400;

interface Props {
  readonly texts: {
    readonly title: string;
    readonly submit: string;
    readonly meaning: string;
    readonly overlap: string;
    readonly issuedTitle: string;
    readonly secret: string;
  };
  /** How long the old secret stays valid unless the person changes it, in the unit that the text of the field names. */
  readonly usualOverlap: number;
  readonly unitSeconds: number;
  /** Returns the new secret, which is shown once. */
  readonly rotate: (rotation: { readonly overlap_seconds: number }) => Promise<string>;
  readonly onClose: () => void;
}

/** Replaces a secret; the old one stays valid for a time, so that its users can change over. */
export function RotationDialog({ texts, usualOverlap, unitSeconds, rotate, onClose }: Props) {
  const overlap = useSignal(String(usualOverlap));
  const secret = useSignal<string | null>(null);
  if (secret.value !== null) {
    return (
      <SecretDialog title={texts.issuedTitle} label={texts.secret} secret={secret.value} onClose={onClose} />
    );
  }
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      staysOpen
      onSubmit={async () => {
        secret.value = await rotate({ overlap_seconds: Math.round(Number(overlap.peek()) * unitSeconds) });
      }}
      onClose={onClose}
    >
      <p>{texts.meaning}</p>
      <TextInput
        label={texts.overlap}
        type="number"
        min={0}
        max={(OVERLAP_DAYS_MAX * SECONDS_PER_DAY) / unitSeconds}
        isRequired
        {...bound(overlap)}
      />
    </FormDialog>
  );
}
