import { PASSWORD_CHARS_MIN } from '@granary/contract/outline';
import './sign-in-view.css';
import { ApiError, type Client } from '@granary/client';
import { type Signal, useSignal } from '@preact/signals';
import type { SignedIn } from '../context/signed-in.ts';
import { Button } from '../kit/button.tsx';
import { Drawing } from '../kit/empty-state.tsx';
import { Field } from '../kit/inputs.tsx';
import { failureText } from '../kit/messages.tsx';
import { texts } from '../texts.ts';
import { assertPasskey, passkeyObstacle } from './passkeys.ts';
import { isSignedIn, type SignInFailure, signIn, signOn } from './sign-in.ts';

/** The way in which this browser signed in the last time. */
const WAY = 'granary-sign-in';

interface Props {
  readonly client: Client;
  /** The name of the identity provider for people; `null` if there is none. */
  readonly signOnName: string | null;
  /** True when there are people; then sign-in by name comes first, until this browser has signed in with a key. */
  readonly hasPeople: boolean;
  /** The reason for a new sign-in; `null` at the first one. */
  readonly reason: string | null;
  readonly onSignedIn: (session: SignedIn) => void;
}

export function SignInView({ client, signOnName, hasPeople, reason, onSignedIn }: Props) {
  const { session } = texts.value;
  const usesKey = useSignal((localStorage.getItem(WAY) ?? (hasPeople ? 'person' : 'key')) === 'key');
  const login = useSignal('');
  const secret = useSignal('');
  /** The code of the second factor, which is asked for after a right password if it is needed; `null` before. */
  const code = useSignal<string | null>(null);
  const failure = useSignal(reason);
  const isRunning = useSignal(false);

  async function usePasskey(): Promise<void> {
    isRunning.value = true;
    const passkey = await assertPasskey(client).catch(() => null);
    const result = passkey === null ? null : await signIn(client, { passkey });
    isRunning.value = false;
    if (result !== null && isSignedIn(result)) {
      localStorage.setItem(WAY, 'person');
      onSignedIn(result);
    } else failure.value = result === null ? session.noPasskey : failureOf(result);
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    isRunning.value = true;
    const given = usesKey.peek()
      ? { api_key: secret.peek().trim() }
      : {
          login: login.peek().trim().toLowerCase(),
          password: secret.peek(),
          ...(code.peek() === null ? {} : { second_factor: code.peek() ?? '' }),
        };
    const result = await signIn(client, given);
    isRunning.value = false;
    if (!isSignedIn(result)) {
      const asksCode = isRefusedWith(result, 'second_factor_required');
      const wrong = code.peek() === null ? session.wrongLogin : session.wrongLoginOrCode;
      code.value = asksCode ? '' : code.peek();
      const isWrong = isRefusedWith(result, 'unauthorized') && !usesKey.peek();
      const refusal = isWrong ? wrong : failureOf(result);
      failure.value = asksCode ? null : refusal;
      return;
    }
    localStorage.setItem(WAY, usesKey.peek() ? 'key' : 'person');
    onSignedIn(result);
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
        {!usesKey.value && (
          <Field label={session.login}>
            {(id) => (
              <input
                id={id}
                type="text"
                autocomplete="username"
                autocapitalize="none"
                required
                value={login.value}
                onInput={({ currentTarget }) => {
                  login.value = currentTarget.value;
                }}
              />
            )}
          </Field>
        )}
        <Field
          label={usesKey.value ? session.key : session.password}
          {...(usesKey.value ? { hint: session.keyHint } : {})}
        >
          {(id) => (
            <input
              id={id}
              type="password"
              autocomplete="current-password"
              required
              value={secret.value}
              onInput={({ currentTarget }) => {
                secret.value = currentTarget.value;
              }}
            />
          )}
        </Field>
        {code.value !== null && !usesKey.value && (
          <Field label={session.secondFactor}>
            {(id) => (
              <input
                id={id}
                ref={focused}
                type="text"
                autocomplete="one-time-code"
                autocapitalize="characters"
                required
                maxLength={50}
                value={code.value ?? ''}
                onInput={({ currentTarget }) => {
                  code.value = currentTarget.value;
                }}
              />
            )}
          </Field>
        )}
        <Button kind="primary" type="submit" isBusy={isRunning.value}>
          {session.submit}
        </Button>
        {passkeyObstacle() === null && (
          <Button isBusy={isRunning.value} onPress={() => void usePasskey()}>
            {session.usePasskey}
          </Button>
        )}
        <Button
          kind="quiet"
          onPress={() => {
            usesKey.value = !usesKey.peek();
            secret.value = '';
            code.value = null;
          }}
        >
          {usesKey.value ? session.usePassword : session.useKey}
        </Button>
        <SignOnButton client={client} name={signOnName} invite={null} failure={failure} />
        <p class="muted sign-in-other">
          {session.otherWay} <code>granary console</code>
        </p>
      </form>
    </main>
  );
}

const isRefusedWith = (result: SignInFailure, code: string): boolean =>
  result.kind === 'refused' && result.failure instanceof ApiError && result.failure.code === code;

const focused = (element: HTMLElement | null): void => element?.focus();

const failureOf = (result: SignInFailure): string =>
  result.kind === 'refused' ? failureText(result.failure) : texts.value.common.failures.unreachable;

interface InvitedProps extends Omit<Props, 'hasPeople' | 'reason'> {
  readonly invite: string;
}

/** Lets an invited person choose a password. */
export function InvitedView({ client, signOnName, invite, onSignedIn }: InvitedProps) {
  const { session } = texts.value;
  const password = useSignal('');
  const failure = useSignal<string | null>(null);
  const isRunning = useSignal(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    isRunning.value = true;
    const result = await signIn(client, { invite, password: password.peek() });
    isRunning.value = false;
    if (!isSignedIn(result)) {
      failure.value = failureOf(result);
      return;
    }
    localStorage.setItem(WAY, 'person');
    onSignedIn(result);
  }

  return (
    <main class="sign-in">
      <form class="panel sign-in-form" onSubmit={(event) => void submit(event)}>
        <Drawing name="farm" />
        <h1>{session.welcome}</h1>
        {failure.value !== null && (
          <p class="refusal" role="alert">
            {failure.value}
          </p>
        )}
        <Field label={session.newPassword} hint={session.newPasswordHint}>
          {(id) => (
            <input
              id={id}
              type="password"
              autocomplete="new-password"
              required
              minLength={PASSWORD_CHARS_MIN}
              value={password.value}
              onInput={({ currentTarget }) => {
                password.value = currentTarget.value;
              }}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" isBusy={isRunning.value}>
          {session.goOn}
        </Button>
        <SignOnButton client={client} name={signOnName} invite={invite} failure={failure} />
      </form>
    </main>
  );
}

interface SignOnProps {
  readonly client: Client;
  readonly name: string | null;
  /** The invitation whose person gets the identity; `null` without one. */
  readonly invite: string | null;
  readonly failure: Signal<string | null>;
}

/** The button for single sign-on, beside the other ways, which work while the identity provider does not answer. */
function SignOnButton({ client, name, invite, failure }: SignOnProps) {
  const { session } = texts.value;
  const isRunning = useSignal(false);
  if (name === null) return null;
  const leave = async (): Promise<void> => {
    isRunning.value = true;
    failure.value = failureOf(await signOn(client, invite));
    isRunning.value = false;
  };
  return (
    <>
      <p class="muted sign-in-or">{session.or}</p>
      <Button isBusy={isRunning.value} onPress={() => void leave()}>
        {session.signInWith({ name })}
      </Button>
    </>
  );
}
