import type { Me } from '@granary/contract/me';
import type { Passkey } from '@granary/contract/passkeys';
import { callOptions, useConsole } from '../context/console.ts';
import { DialogButton, FormDialog } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { PasswordInput, TextInput } from '../kit/inputs.tsx';
import { Age, Time } from '../kit/measured.tsx';
import { Table, titleColumn } from '../kit/table.tsx';
import { makePasskey, passkeyObstacle } from '../session/passkeys.ts';
import { texts } from '../texts.ts';
import { browserName } from './browser-name.ts';
import { WithPasswordButton } from './with-password.tsx';

/** Manages passkeys: sign-in with a finger, a face or the PIN of a device, in place of a password. */
export function Passkeys({ me: own, onChanged }: { readonly me: Me; readonly onChanged: () => void }) {
  const console = useConsole();
  const { me, people } = texts.value;
  const obstacle = passkeyObstacle();
  return (
    <section class="panel" aria-label={me.passkeys}>
      <header>
        <h2>{me.passkeys}</h2>
        {obstacle === null && own.has_password && (
          <DialogButton text={me.addPasskey}>
            {(close) => <AddPasskey me={own} onAdded={onChanged} onClose={close} />}
          </DialogButton>
        )}
      </header>
      <p class="muted">{me.passkeysMean}</p>
      {!own.has_password && <p>{me.passkeysNeedPassword}</p>}
      {obstacle !== null && own.has_password && <p>{me.passkeyObstacles[obstacle]}</p>}
      {own.passkeys.length > 0 && (
        <Table
          label={me.passkeys}
          rows={own.passkeys}
          idOf={({ passkey_id }) => passkey_id}
          orderName="passkeys"
          columns={[
            titleColumn('name', me.passkeyName, ({ name }: Passkey) => name),
            { name: 'since', title: me.addedAt, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              name: 'used',
              title: me.lastUsed,
              cell: ({ last_used_at }) =>
                last_used_at === null ? (
                  <span class="muted">{people.never}</span>
                ) : (
                  <Age since={last_used_at} />
                ),
            },
            {
              name: 'actions',
              title: me.actions,
              kind: 'actions',
              cell: ({ passkey_id, name }) => (
                <WithPasswordButton
                  text={me.remove}
                  label={me.removePasskeyOf({ name })}
                  means={me.removePasskeyMeans}
                  login={own.person.login}
                  onConfirm={async (current_password) => {
                    await console.client.me.removePasskey(
                      passkey_id,
                      { current_password },
                      callOptions(console),
                    );
                    onChanged();
                  }}
                />
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

interface AddProps {
  readonly me: Me;
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

function AddPasskey({ me: { person }, onAdded, onClose }: AddProps) {
  const console = useConsole();
  const { me } = texts.value;
  const { current, field } = useDraft({ name: browserName(navigator.userAgent) ?? '', password: '' });
  return (
    <FormDialog
      title={me.addPasskey}
      submit={me.addPasskey}
      onSubmit={async () => {
        const { name, password } = current.peek();
        const made = await makePasskey(console.client, {
          id: person.person_id,
          login: person.login,
          name: person.name,
        });
        const passkey = { ...made, name: name.trim(), current_password: password };
        await console.client.me.addPasskey(passkey, callOptions(console));
        onAdded();
      }}
      onClose={onClose}
    >
      <p>{me.addPasskeyMeans}</p>
      <TextInput label={me.passkeyName} maxLength={100} isRequired {...field('name')} />
      <PasswordInput label={me.currentPassword} autocomplete="current-password" {...field('password')} />
    </FormDialog>
  );
}
