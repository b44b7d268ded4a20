import type { Scope } from '@granary/contract/keys';

/** The rights of the key that a session belongs to. */
export interface SignedIn {
  readonly key_id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly facilities: readonly string[] | null;
  readonly device_ids: readonly string[] | null;
}

export type Credentials = { readonly api_key: string } | { readonly code: string };

/** Why there is no session: the credentials are wrong, the service refuses for another reason, or it does not answer. */
export type SignInFailure =
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unreachable' };

export type SignInResult = SignedIn | SignInFailure;

export const isSignedIn = (result: SignInResult): result is SignedIn => 'key_id' in result;

const ADDRESS = '/v1/session';

/** The session of the browser, if it has one. */
export const currentSession = (): Promise<SignInResult> => ask('GET');

export const signIn = (credentials: Credentials): Promise<SignInResult> => ask('POST', credentials);

export async function signOut(): Promise<void> {
  await ask('DELETE');
}

async function ask(method: 'GET' | 'POST' | 'DELETE', body?: Credentials): Promise<SignInResult> {
  try {
    const response = await fetch(ADDRESS, {
      method,
      credentials: 'same-origin',
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const answer = await response.json();
    if (response.ok) return answer.data;
    return response.status >= 500
      ? { kind: 'unreachable' }
      : { kind: 'refused', message: String(answer?.error?.message ?? response.status) };
  } catch {
    return { kind: 'unreachable' };
  }
}

const CODE = /^#sign-in=([\w-]+)$/;

/** The one-time code of a printed link. It is removed from the address, so that it is not kept in the history. */
export function takeCode(): string | null {
  const code = CODE.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, '', '/');
  return code;
}
