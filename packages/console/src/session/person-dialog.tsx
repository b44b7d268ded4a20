import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { bound, TextInput } from '../kit/inputs.tsx';
import { set } from '../kit/set.ts';
import { texts } from '../texts.ts';

/** The longest name that the service accepts. */
const NAME_CHARS_MAX = 200;

/**
 * Asks once who uses this browser, because several people share a key and the records must tell them apart. The dialog stands at the
 * foot of the window, so that the view behind it can be read.
 */
export function PersonDialog() {
  const { preferences, personAsked } = useConsole();
  const { session } = texts.value;
  const name = useSignal((personAsked.peek() ?? '').slice(0, NAME_CHARS_MAX));
  const form = useRef<HTMLFormElement>(null);
  // The suggested name is often not the right one, so it is selected and replaced by typing.
  useLayoutEffect(() => form.current?.querySelector('input')?.select(), []);
  const close = (): void => set(personAsked, null);
  return (
    <Dialog title={session.whoAreYou} place="foot" onClose={close}>
      <form
        ref={form}
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          preferences.person.value = name.peek().trim();
          close();
        }}
      >
        <TextInput
          label={session.person}
          hint={session.personHint}
          autocomplete="name"
          pattern=".*\S.*"
          maxLength={NAME_CHARS_MAX}
          isRequired
          {...bound(name)}
        />
        <div class="dialog-actions">
          <Button kind="quiet" onPress={close}>
            {session.notNow}
          </Button>
          <Button kind="primary" type="submit">
            {session.goOn}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
