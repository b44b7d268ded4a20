import type { KeyRecord } from '@granary/contract/keys';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { texts } from '../../texts/texts.ts';

interface Props {
  readonly keyRecord: KeyRecord;
  readonly onClose: () => void;
}

export function RevokeKey({ keyRecord: { key_id, name }, onClose }: Props) {
  const console = useConsole();
  const { keys } = texts.value;
  return (
    <FormDialog
      title={keys.revokeOf(name)}
      submit={keys.revoke}
      onSubmit={() => console.client.keys.revoke(key_id, callOptions(console))}
      onClose={onClose}
    >
      <p>{keys.revokeMeans}</p>
      {key_id === console.session.key_id && <p class="refusal">{keys.ownKey}</p>}
    </FormDialog>
  );
}
