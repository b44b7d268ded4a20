import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CopyText } from '../../parts/forms/secret.tsx';
import { texts } from '../../texts/texts.ts';

interface Props {
  readonly name: string;
  readonly apiKey: string;
  readonly onClose: () => void;
}

/** A new key, shown this once. */
export function IssuedKeyDialog({ name, apiKey, onClose }: Props) {
  const { keys, forms } = texts.value;
  return (
    <Dialog title={keys.issued(name)} onClose={onClose}>
      <p>
        <strong>{forms.shownOnce}</strong>
      </p>
      <CopyText label={keys.key} text={apiKey} />
      <div class="dialog-actions">
        <Button kind="primary" onPress={onClose}>
          {forms.done}
        </Button>
      </div>
    </Dialog>
  );
}
