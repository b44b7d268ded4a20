import { SCOPES } from '@granary/contract/keys';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { Choices, TextInput } from '../../parts/forms/inputs.tsx';
import { useDraft } from '../../parts/forms/use-draft.ts';
import { texts } from '../../texts/texts.ts';
import { PlaceChoices } from '../place-choices.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { type KeyDraft, newKeyOf } from './key-draft.ts';

const EMPTY: KeyDraft = { name: '', scopes: ['read'], facilities: [], deviceIds: [], expiresAt: '' };

export function IssueKey({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { keys } = texts.value;
  const { current, field } = useDraft(EMPTY);
  const issued = useSignal<string | null>(null);
  if (issued.value !== null) {
    const title = keys.issued(current.peek().name.trim());
    return <SecretDialog title={title} label={keys.key} secret={issued.value} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={keys.issue}
      submit={keys.issue}
      staysOpen
      onSubmit={async () => {
        const wanted = newKeyOf(current.peek());
        issued.value = (await console.client.keys.create(wanted, callOptions(console))).key;
      }}
      onClose={onClose}
    >
      <TextInput label={keys.name} hint={keys.nameHint} isRequired {...field('name')} />
      <Choices
        legend={keys.scopes}
        options={SCOPES.map((scope) => [scope, keys.scopeMeanings[scope]])}
        {...field('scopes')}
      />
      <PlaceChoices facilities={field('facilities')} deviceIds={field('deviceIds')} />
      <TextInput label={keys.expires} hint={keys.expiresHint} type="datetime-local" {...field('expiresAt')} />
    </FormDialog>
  );
}
