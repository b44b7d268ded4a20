import type { CallOptions, Client } from '@granary/client';
import type { ConsoleSettings } from '@granary/contract/console';
import type { Scope } from '@granary/contract/keys';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Live } from '../live/live.ts';
import type { SignedIn } from '../session/sign-in.ts';
import type { Preferences } from './preferences.ts';
import type { Navigation } from './routes.ts';
import type { StopRequests } from './stop-requests.ts';

/** What every view may use. */
export interface Console {
  readonly client: Client;
  readonly settings: ConsoleSettings;
  readonly live: Live;
  readonly stops: StopRequests;
  readonly navigation: Navigation;
  readonly preferences: Preferences;
  readonly session: SignedIn;
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
  return actor === '' || session.kind === 'person' ? {} : { actor };
}

/** Who uses this browser: the person who has signed in, or whoever has given a name beside the key. */
export const personOf = ({ preferences, session }: Pick<Console, 'preferences' | 'session'>): string =>
  session.kind === 'person' ? session.name : preferences.person.value.trim();

/** Whether the connection is lost, so that what is shown may not be true any more; outside the console it never is. */
export const useIsLost = (): boolean =>
  useContext(ConsoleContext)?.live.connection.current.value.state === 'lost';
