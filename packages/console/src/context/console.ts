import type { CallOptions, Client } from '@granary/client';
import type { ConfirmedAction } from '@granary/contract/confirmations';
import type { ConsoleSettings } from '@granary/contract/console';
import type { Scope } from '@granary/contract/keys';
import type { Signal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Live } from '../live/live.ts';
import { texts } from '../texts.ts';
import type { Preferences } from './preferences.ts';
import type { Navigation } from './routes.ts';
import type { SignedIn } from './signed-in.ts';
import type { StopRequests } from './stop-requests.ts';

/** A request that a person has to confirm. */
export interface Confirmable {
  /** What the request does, with its amount, for the person who confirms. */
  readonly title: string;
  /** What the person who starts it has seen before, so that a second person decides by the same facts. */
  readonly plan: ComponentChildren;
  readonly action: ConfirmedAction;
  readonly device_id: string;
  readonly resource_id?: string;
  readonly body?: unknown;
}

/** The request that the dialog asks about, until it is confirmed or the dialog is left. */
export interface Confirming {
  readonly what: Confirmable;
  readonly isBySecond: boolean;
  /** Called with the id of the confirmation; `null` when the person has left the dialog. */
  readonly answer: (confirmationId: string | null) => void;
}

/** The parts that every view may use. */
export interface Console {
  readonly client: Client;
  readonly settings: ConsoleSettings;
  readonly live: Live;
  readonly stops: StopRequests;
  readonly navigation: Navigation;
  readonly preferences: Preferences;
  readonly session: SignedIn;
  /** The request that waits for a confirmation. */
  readonly confirming: Signal<Confirming | null>;
  /** The name that is suggested when a person is asked for theirs; `null` when nobody is asked. */
  readonly personAsked: Signal<string | null>;
  /** Called when another person, or nobody, acts at this terminal from now on; the view stays. */
  readonly become: (session: SignedIn | null) => void;
  readonly signOut: () => Promise<void>;
}

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (console === null) throw new Error('a view outside the console');
  return console;
}

/** Whether the key has a scope; actions that it may not do are not offered. */
export function useScope(scope: Scope): boolean {
  const { scopes } = useConsole().session;
  return scopes.includes(scope) || (scope === 'stop' && scopes.includes('operate'));
}

/** The options of a change, which name the person in its records where a name is given. */
export function callOptions({ preferences, session }: Pick<Console, 'preferences' | 'session'>): CallOptions {
  const actor = preferences.person.peek().trim();
  return actor === '' || session.kind !== 'service' ? {} : { actor };
}

/** The person who uses this browser: the person or terminal that has signed in, or the name that was given beside the key. */
export const personOf = ({ preferences, session }: Pick<Console, 'preferences' | 'session'>): string =>
  session.kind === 'service' ? preferences.person.value.trim() : session.name;

/** Whether several people use this browser, so that nobody signs it out. */
export const isSharedBrowser = ({ kind, terminal }: SignedIn): boolean =>
  kind === 'display' || terminal !== null;

/** The reason why nothing can be started here: at a terminal somebody has to sign in, anybody else needs another right. */
export const whyNotOperate = ({ kind }: SignedIn): string =>
  kind === 'terminal' ? texts.value.terminals.locked : texts.value.devices.mayNotOperate;

/** Whether the connection is lost, so that the shown state may be outdated; outside the console it is never lost. */
export const useIsLost = (): boolean => useContext(ConsoleContext)?.live.connection.isLost.value === true;
