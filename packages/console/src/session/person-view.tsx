import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/forms/field.tsx';
import { texts } from '../texts/texts.ts';
import './sign-in-view.css';

/** As the service accepts it. */
const NAME_CHARS_MAX = 200;

interface Props {
  /** Called with an empty name where the person does not want to say it now. */
  readonly onNamed: (name: string) => void;
}

/** Asks once who uses this browser, because several people share a key and the records must tell them apart. */
export function PersonView({ onNamed }: Props) {
  const { session } = texts.value;
  const name = useSignal('');
  return (
    <main class="sign-in">
      <form
        class="panel sign-in-form"
        onSubmit={(event) => {
          event.preventDefault();
          onNamed(name.peek().trim());
        }}
      >
        <h1>{session.whoAreYou}</h1>
        <Field label={session.person} hint={session.personHint}>
          {(id) => (
            <input
              id={id}
              type="text"
              autocomplete="name"
              required
              pattern=".*\S.*"
              maxLength={NAME_CHARS_MAX}
              value={name.value}
              onInput={({ currentTarget }) => {
                name.value = currentTarget.value;
              }}
            />
          )}
        </Field>
        <Button kind="primary" type="submit">
          {session.goOn}
        </Button>
        <Button kind="quiet" onPress={() => onNamed('')}>
          {session.notNow}
        </Button>
      </form>
    </main>
  );
}
