import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CopyText } from '../parts/forms/secret.tsx';
import { texts } from '../texts/texts.ts';

interface Props {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A key or secret, shown this once. */
export function SecretDialog({ title, label, secret, onClose }: Props) {
  const { forms } = texts.value;
  return (
    <Dialog title={title} question={forms.isKept} onClose={onClose}>
      <p>
        <strong>{forms.shownOnce}</strong>
      </p>
      <CopyText label={label} text={secret} />
      <div class="dialog-actions">
        <Button kind="primary" onPress={onClose}>
          {forms.done}
        </Button>
      </div>
    </Dialog>
  );
}
