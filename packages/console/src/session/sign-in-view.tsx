import './sign-in-view.css';
import type { Client } from '@granary/client';
import { useSignal } from '@preact/signals';
import { Button } from '../kit/button.tsx';
import { Drawing } from '../kit/empty-state.tsx';
import { Field } from '../kit/inputs.tsx';
import { failureText } from '../kit/messages.tsx';
import { texts } from '../texts/texts.ts';
import { isSignedIn, type SignedIn, signIn } from './sign-in.ts';

/** As the service accepts it. */
const NAME_CHARS_MAX = 200;

interface Props {
  readonly client: Client;
  /** Why the person has to sign in, where it is not the first time. */
  readonly reason: string | null;
  readonly onSignedIn: (session: SignedIn) => void;
}

export function SignInView({ client, reason, onSignedIn }: Props) {
  const { session, common } = texts.value;
  const key = useSignal('');
  const failure = useSignal(reason);
  const isRunning = useSignal(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    isRunning.value = true;
    const result = await signIn(client, { api_key: key.value.trim() });
    isRunning.value = false;
    if (isSignedIn(result)) onSignedIn(result);
    else
      failure.value = result.kind === 'refused' ? failureText(result.failure) : common.failures.unreachable;
  }

  return (
    <main class="sign-in">
      <form class="panel sign-in-form" onSubmit={(event) => void submit(event)}>
        <Drawing name="farm" />
        <h1>Granary</h1>
        <p class="muted">{session.what}</p>
        {failure.value !== null && (
          <p class="refusal" role="alert">
            {failure.value}
          </p>
        )}
        <Field label={session.key} hint={session.keyHint}>
          {(id) => (
            <input
              id={id}
              type="password"
              autocomplete="current-password"
              required
              value={key.value}
              onInput={({ currentTarget }) => {
                key.value = currentTarget.value;
              }}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" isBusy={isRunning.value}>
          {session.submit}
        </Button>
        <p class="muted sign-in-other">
          {session.otherWay} <code>granary console</code>
        </p>
      </form>
    </main>
  );
}

interface PersonViewProps {
  /** Called with an empty name where the person does not want to say it now. */
  readonly onNamed: (name: string) => void;
}

/** Asks once who uses this browser, because several people share a key and the records must tell them apart. */
export function PersonView({ onNamed }: PersonViewProps) {
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
        <Drawing name="farm" />
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
