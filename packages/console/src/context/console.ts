import type { CallOptions, Client } from '@granary/client';
import type { ConfirmedAction } from '@granary/contract/confirmations';
import type { ConsoleSettings } from '@granary/contract/console';
import type { Scope } from '@granary/contract/keys';
import type { Signal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Live } from '../live/live.ts';
import { texts } from '../texts/texts.ts';
import type { Preferences } from './preferences.ts';
import type { Navigation } from './routes.ts';
import type { SignedIn } from './signed-in.ts';
import type { StopRequests } from './stop-requests.ts';

/** One request that somebody confirms. */
export interface Confirmable {
  /** What it does, with its amount, for the person who confirms. */
  readonly title: string;
  /** What whoever starts it sees before: a second person decides by the same. */
  readonly plan: ComponentChildren;
  readonly action: ConfirmedAction;
  readonly device_id: string;
  readonly resource_id?: string;
  readonly body?: unknown;
}

/** What the dialog asks for, until it is confirmed or left. */
export interface Confirming {
  readonly what: Confirmable;
  readonly isBySecond: boolean;
  /** With the id of the confirmation; `null` where the person has left the dialog. */
  readonly answer: (confirmationId: string | null) => void;
}

/** What every view may use. */
export interface Console {
  readonly client: Client;
  readonly settings: ConsoleSettings;
  readonly live: Live;
  readonly stops: StopRequests;
  readonly navigation: Navigation;
  readonly preferences: Preferences;
  readonly session: SignedIn;
  /** What waits for somebody to confirm it. */
  readonly confirming: Signal<Confirming | null>;
  /** The name that is offered to whoever is asked for theirs; `null` where nobody is asked. */
  readonly personAsked: Signal<string | null>;
  /** Somebody else acts at this terminal from now on, or nobody; the view stays. */
  readonly become: (session: SignedIn | null) => void;
  readonly signOut: () => Promise<void>;
}

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (console === null) throw new Error('a view outside the console');
  return console;
}

/** What the key may not do is not offered. */
export function useScope(scope: Scope): boolean {
  const { scopes } = useConsole().session;
  return scopes.includes(scope) || (scope === 'stop' && scopes.includes('operate'));
}

/** The options of a change: they name the person in its records, where a name is given. */
export function callOptions({ preferences, session }: Pick<Console, 'preferences' | 'session'>): CallOptions {
  const actor = preferences.person.peek().trim();
  return actor === '' || session.kind !== 'service' ? {} : { actor };
}

/** Who uses this browser: the person or the terminal that has signed in, or whoever has given a name beside the key. */
export const personOf = ({ preferences, session }: Pick<Console, 'preferences' | 'session'>): string =>
  session.kind === 'service' ? preferences.person.value.trim() : session.name;

/** A browser that is used by whoever stands there, and that nobody signs out. */
export const isSharedBrowser = ({ kind, terminal }: SignedIn): boolean =>
  kind === 'display' || terminal !== null;

/** Why nothing can be started here: somebody has to sign in at a terminal, others need another right. */
export const whyNotOperate = ({ kind }: SignedIn): string =>
  kind === 'terminal' ? texts.value.terminals.locked : texts.value.devices.mayNotOperate;

/** Whether the connection is lost, so that what is shown may not be true any more; outside the console it never is. */
export const useIsLost = (): boolean => useContext(ConsoleContext)?.live.connection.isLost.value === true;
