import { DialogButton, FormDialog } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { PasswordInput } from '../kit/inputs.tsx';
import { texts } from '../texts/texts.ts';

interface Props {
  readonly text: string;
  /** What it does with what; also the title of the question. */
  readonly label: string;
  /** What it means. */
  readonly means: string;
  /** With which a password manager finds the password. */
  readonly login: string;
  readonly onConfirm: (password: string) => Promise<unknown>;
}

/** Takes away a way in, after the person has shown that the page is in their own hands. */
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
