import { DialogButton, FormDialog } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { PasswordInput } from '../kit/inputs.tsx';
import { texts } from '../texts.ts';

interface Props {
  readonly text: string;
  /** What the button does, with its object; this is also the title of the question. */
  readonly label: string;
  /** What the action causes. */
  readonly means: string;
  /** The name with which a password manager finds the password. */
  readonly login: string;
  readonly onConfirm: (password: string) => Promise<unknown>;
}

/** Removes a way to sign in, after the password has shown that the person themselves uses the page. */
export const WithPasswordButton = ({ text, label, ...question }: Props) => (
  <DialogButton text={text} label={label}>
    {(close) => <WithPassword text={text} label={label} onClose={close} {...question} />}
  </DialogButton>
);

function WithPassword({
  text,
  label,
  means,
  login,
  onConfirm,
  onClose,
}: Props & { readonly onClose: () => void }) {
  const { me } = texts.value;
  const { current, field } = useDraft({ password: '' });
  return (
    <FormDialog
      title={label}
      submit={text}
      onSubmit={() => onConfirm(current.peek().password)}
      onClose={onClose}
    >
      <p>{means}</p>
      <input type="text" autocomplete="username" value={login} readOnly hidden />
      <PasswordInput label={me.currentPassword} autocomplete="current-password" {...field('password')} />
    </FormDialog>
  );
}
