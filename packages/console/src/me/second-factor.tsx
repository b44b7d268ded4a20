import type { Me } from '@granary/contract/me';
import { useState } from 'preact/hooks';
import { callOptions, useConsole } from '../context/console.ts';
import { DialogButton, FormDialog } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { PasswordInput, TextInput } from '../kit/inputs.tsx';
import { QrCode } from '../kit/qr-code.tsx';
import { CopyText, SecretForm } from '../kit/secret-dialog.tsx';
import { texts } from '../texts.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET_CHARS = 32;

/** Sets whether signing in asks for a code besides the password. */
export function SecondFactor({ me: own, onChanged }: { readonly me: Me; readonly onChanged: () => void }) {
  const { me } = texts.value;
  const { recovery_codes_left: left, person } = own;
  const closing = (close: () => void) => () => {
    close();
    onChanged();
  };
  return (
    <section class="panel" aria-label={me.factor}>
      <header>
        <h2>{me.factor}</h2>
        <span class="buttons">
          <DialogButton text={left === null ? me.setUpFactor : me.renewFactor}>
            {(close) => <SetUp login={person.login} onClose={closing(close)} />}
          </DialogButton>
          {left !== null && (
            <DialogButton text={me.removeFactor}>
              {(close) => <Remove onClose={closing(close)} />}
            </DialogButton>
          )}
        </span>
      </header>
      <p class="muted">{me.factorMeans}</p>
      {left !== null && <p>{me.factorIsOn({ left })}</p>}
    </section>
  );
}

/** 160 random bits, in base 32. */
const newSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(SECRET_CHARS))].map((byte) => BASE32[byte % 32]).join('');

/** The address that authenticator apps read. */
function uriOf(secret: string, login: string): string {
  const issuer = `Granary ${location.hostname}`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(login)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

function SetUp({ login, onClose }: { readonly login: string; readonly onClose: () => void }) {
  const console = useConsole();
  const { me } = texts.value;
  const [secret] = useState(newSecret);
  const { current, field } = useDraft({ password: '', code: '' });
  return (
    <SecretForm
      title={me.setUpFactor}
      submit={me.setUpFactor}
      issuedTitle={me.factor}
      issue={async () => {
        const { password: current_password, code } = current.peek();
        const change = { current_password, secret, code };
        const { recovery_codes: codes } = await console.client.me.changeSecondFactor(
          change,
          callOptions(console),
        );
        return [[me.recoveryCodes, codes.join(' ')]];
      }}
      note={<p>{me.recoveryMeans}</p>}
      onClose={onClose}
    >
      <p>{me.scan}</p>
      <QrCode text={uriOf(secret, login)} label={me.factorQrCode} />
      <CopyText label={me.secret} text={secret} />
      <TextInput label={me.code} maxLength={10} isRequired {...field('code')} />
      <PasswordInput label={me.currentPassword} autocomplete="current-password" {...field('password')} />
    </SecretForm>
  );
}

function Remove({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { me } = texts.value;
  const { current, field } = useDraft({ password: '' });
  return (
    <FormDialog
      title={me.removeFactor}
      submit={me.removeFactor}
      onSubmit={() => {
        const change = { current_password: current.peek().password, secret: null };
        return console.client.me.changeSecondFactor(change, callOptions(console));
      }}
      onClose={onClose}
    >
      <p>{me.removeMeans}</p>
      <PasswordInput label={me.currentPassword} autocomplete="current-password" {...field('password')} />
    </FormDialog>
  );
}
