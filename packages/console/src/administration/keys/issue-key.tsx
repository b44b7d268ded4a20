import { SCOPES } from '@granary/contract/keys';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { Choices, TextInput } from '../../parts/forms/inputs.tsx';
import { ordered } from '../../parts/table-order.ts';
import { language, texts } from '../../texts/texts.ts';
import { IssuedKeyDialog } from './issued-key-dialog.tsx';
import { type KeyDraft, newKeyOf } from './key-draft.ts';

const EMPTY: KeyDraft = { name: '', scopes: ['read'], facilities: [], deviceIds: [], expiresAt: '' };

export function IssueKey({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { client, live } = console;
  const { keys } = texts.value;
  const draft = useSignal(EMPTY);
  const issued = useSignal<string | null>(null);
  const field = <Name extends keyof KeyDraft>(name: Name) => ({
    value: draft.value[name],
    onValue: (value: KeyDraft[Name]) => {
      draft.value = { ...draft.peek(), [name]: value };
    },
  });
  const devices = [...live.site.devices.all.value.values()].map((device) => device.peek());
  const facilities = [...new Set(devices.map(({ location }) => location.facility))];
  const inOrder = (names: readonly string[]) => ordered(names, (name) => name, false, language.value);

  if (issued.value !== null) {
    return <IssuedKeyDialog name={draft.peek().name.trim()} apiKey={issued.value} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={keys.issue}
      submit={keys.issue}
      staysOpen
      onSubmit={async () => {
        issued.value = (await client.keys.create(newKeyOf(draft.peek()), callOptions(console))).key;
      }}
      onClose={onClose}
    >
      <TextInput label={keys.name} hint={keys.nameHint} isRequired {...field('name')} />
      <Choices
        legend={keys.scopes}
        options={SCOPES.map((scope) => [scope, keys.scopeMeanings[scope]])}
        {...field('scopes')}
      />
      <Choices
        legend={keys.facilities}
        hint={keys.limitHint}
        options={inOrder(facilities).map((name) => [name, name])}
        {...field('facilities')}
      />
      <Choices
        legend={keys.devices}
        hint={keys.limitHint}
        options={inOrder(devices.map(({ device_id }) => device_id)).map((id) => [id, id])}
        {...field('deviceIds')}
      />
      <TextInput label={keys.expires} hint={keys.expiresHint} type="datetime-local" {...field('expiresAt')} />
    </FormDialog>
  );
}
