import './sign-in-view.css';
import { ApiError, type Client } from '@granary/client';
import { PASSWORD_CHARS_MIN } from '@granary/contract/outline';
import type { SignIn } from '@granary/contract/session';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { SignedIn } from '../context/signed-in.ts';
import { Button } from '../kit/button.tsx';
import { Drawing } from '../kit/empty-state.tsx';
import { bound, Field, PasswordInput, TextInput } from '../kit/inputs.tsx';
import { failureText } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
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
  const { isRunning, enter } = useSignIn(client, onSignedIn);

  async function usePasskey(): Promise<void> {
    isRunning.value = true;
    const passkey = await assertPasskey(client).catch(() => null);
    isRunning.value = false;
    const refusal = passkey === null ? null : await enter({ passkey }, 'person');
    if (passkey === null) failure.value = session.noPasskey;
    else if (refusal !== null) failure.value = failureOf(refusal);
  }

  async function submit(): Promise<void> {
    if (usesKey.peek()) {
      const refusal = await enter({ api_key: secret.peek().trim() }, 'key');
      if (refusal !== null) failure.value = failureOf(refusal);
      return;
    }
    const second_factor = code.peek();
    const refusal = await enter(
      {
        login: login.peek().trim().toLowerCase(),
        password: secret.peek(),
        ...(second_factor === null ? {} : { second_factor }),
      },
      'person',
    );
    if (refusal === null) return;
    const needsCode = isRefusedWith(refusal, 'second_factor_required');
    if (needsCode) code.value = '';
    const wrong = second_factor === null ? session.wrongLogin : session.wrongLoginOrCode;
    const reason = isRefusedWith(refusal, 'unauthorized') ? wrong : failureOf(refusal);
    failure.value = needsCode ? null : reason;
  }

  return (
    <SignInForm title="Granary" what={session.what} failure={failure} onSubmit={submit}>
      {usesKey.value ? (
        <PasswordInput
          label={session.key}
          hint={session.keyHint}
          autocomplete="current-password"
          {...bound(secret)}
        />
      ) : (
        <PasswordFields login={login} password={secret} code={code} />
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
    </SignInForm>
  );
}

interface PasswordFieldsProps {
  readonly login: Signal<string>;
  readonly password: Signal<string>;
  readonly code: Signal<string | null>;
}

const PasswordFields = ({ login, password, code }: PasswordFieldsProps) => {
  const { session } = texts.value;
  return (
    <>
      <TextInput
        label={session.login}
        autocomplete="username"
        autocapitalize="none"
        isRequired
        {...bound(login)}
      />
      <PasswordInput label={session.password} autocomplete="current-password" {...bound(password)} />
      {code.value !== null && (
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
              onInput={({ currentTarget }) => set(code, currentTarget.value)}
            />
          )}
        </Field>
      )}
    </>
  );
};

/** Signs in with credentials; the result is the failure, and `null` when the person is signed in. */
function useSignIn(client: Client, onSignedIn: Props['onSignedIn']) {
  const isRunning = useSignal(false);
  const enter = async (credentials: SignIn, way: 'person' | 'key'): Promise<SignInFailure | null> => {
    isRunning.value = true;
    const result = await signIn(client, credentials);
    isRunning.value = false;
    if (!isSignedIn(result)) return result;
    localStorage.setItem(WAY, way);
    onSignedIn(result);
    return null;
  };
  return { isRunning, enter };
}

interface FormProps {
  readonly title: string;
  readonly what?: string;
  readonly failure: Signal<string | null>;
  readonly onSubmit: () => Promise<void>;
  readonly children: ComponentChildren;
}

const SignInForm = ({ title, what, failure, onSubmit, children }: FormProps) => (
  <main class="sign-in">
    <form
      class="panel sign-in-form"
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      <Drawing name="farm" />
      <h1>{title}</h1>
      {what !== undefined && <p class="muted">{what}</p>}
      {failure.value !== null && (
        <p class="refusal" role="alert">
          {failure.value}
        </p>
      )}
      {children}
    </form>
  </main>
);

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
  const { isRunning, enter } = useSignIn(client, onSignedIn);
  const submit = async (): Promise<void> => {
    const refusal = await enter({ invite, password: password.peek() }, 'person');
    if (refusal !== null) failure.value = failureOf(refusal);
  };
  return (
    <SignInForm title={session.welcome} failure={failure} onSubmit={submit}>
      <PasswordInput
        label={session.newPassword}
        hint={session.newPasswordHint}
        autocomplete="new-password"
        minLength={PASSWORD_CHARS_MIN}
        {...bound(password)}
      />
      <Button kind="primary" type="submit" isBusy={isRunning.value}>
        {session.goOn}
      </Button>
      <SignOnButton client={client} name={signOnName} invite={invite} failure={failure} />
    </SignInForm>
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
