import { ApiError, type Client } from '@granary/client';
import type { ConsoleSettings } from '@granary/contract/console';
import type { SessionRecord, SignIn } from '@granary/contract/session';
import type { SignedIn } from '../context/signed-in.ts';

/** The request is sent once, because the page itself shows that the service does not answer, and tries again. */
const ONCE = { timeLimitMs: 0 };

const CODE = /^#(sign-in|invite)=([\w-]+)(?:&name=([^&]*))?$/;

/** Why there is no session: the service refuses, or it does not answer. */
export type SignInFailure =
  | { readonly kind: 'refused'; readonly failure: unknown }
  | { readonly kind: 'unreachable' };

export type SignInResult = SignedIn | SignInFailure;

export const isSignedIn = (result: SignInResult): result is SignedIn => 'key_id' in result;

/** The session of the browser, if it has one. */
export const currentSession = (client: Client): Promise<SignInResult> => result(openedSession(client));

/** A page of a terminal begins locked, because nobody knows who has opened it. */
async function openedSession(client: Client): Promise<SessionRecord> {
  const session = await client.session.get(ONCE);
  const isPersonAtTerminal = session.terminal !== null && session.kind === 'person';
  return isPersonAtTerminal ? await client.terminals.lock(ONCE) : session;
}

/** Signs in. The request waits for its turn when many people sign in at once, as at a change of shift. */
export const signIn = (client: Client, credentials: SignIn): Promise<SignInResult> =>
  result(client.session.create(credentials));

/** The view that a person wanted before leaving for the identity provider. */
const WANTED = 'granary-wanted';

/** Leaves the page for the identity provider; returns only if that is not possible. */
export async function signOn(client: Client, invite: string | null): Promise<SignInFailure> {
  try {
    const { url } = await client.signOn.start(invite === null ? {} : { invite }, ONCE);
    leaveFor(url);
    return await new Promise(() => undefined);
  } catch (error) {
    return error instanceof ApiError ? { kind: 'refused', failure: error } : { kind: 'unreachable' };
  }
}

/** Opens the page of the identity provider, which leads back to this view. */
export function leaveFor(url: string): void {
  sessionStorage.setItem(WANTED, location.hash);
  location.assign(url);
}

/** Restores the wanted view after the way back. It must be called before anything reads the address. */
export function takeWanted(): void {
  const wanted = sessionStorage.getItem(WANTED);
  sessionStorage.removeItem(WANTED);
  if (wanted?.startsWith('#/') && location.hash === '') history.replaceState(null, '', wanted);
}

async function result(answer: Promise<SessionRecord>): Promise<SignInResult> {
  try {
    return await answer;
  } catch (error) {
    return error instanceof ApiError && error.status < 500
      ? { kind: 'refused', failure: error }
      : { kind: 'unreachable' };
  }
}

export interface Link {
  readonly kind: string;
  /** The code, which works once. */
  readonly code: string;
  /** The account of the machine that has made the link, which may be the name of the person; empty if it is not given. */
  readonly name: string;
}

/** The link that has opened the page. It is removed from the address, so that it is not kept in the history. */
export function takeLink(): Link | null {
  const [, kind, code, name = ''] = CODE.exec(location.hash) ?? [];
  if (kind === undefined || code === undefined) return null;
  history.replaceState(null, '', '/');
  return { kind, code, name: decoded(name) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** The settings that the page needs before anybody has signed in; the service writes them into the page. */
export function pageSettings(): ConsoleSettings {
  const written = document.querySelector('#settings')?.textContent;
  if (!written) throw new Error('the page was not sent by the service');
  return JSON.parse(written);
}
