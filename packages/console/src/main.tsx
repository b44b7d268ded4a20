import './styles/tokens.css';
import './styles/base.css';
import './styles/panel.css';
import './styles/print.css';
import { type Client, createClient } from '@granary/client';
import type { ConsoleSettings } from '@granary/contract/console';
import { type ReadonlySignal, signal } from '@preact/signals';
import { render } from 'preact';
import { ConsoleContext } from './context/console.ts';
import { openPreferences } from './context/preferences.ts';
import { Navigation } from './context/routes.ts';
import { StopRequests } from './context/stop-requests.ts';
import { Live } from './live/live.ts';
import { findSharedWorker, SharedStreams } from './live/streams/shared-streams.ts';
import {
  currentSession,
  isSignedIn,
  readPageSettings,
  type SignedIn,
  type SignInResult,
  signIn,
  takeCode,
} from './session/sign-in.ts';
import { PersonView, SignInView } from './session/sign-in-view.tsx';
import { App } from './shell/app.tsx';
import { texts } from './texts/texts.ts';

const AGAIN_MS = 2_000;

const root = document.querySelector('#console');
if (root === null) throw new Error('the page has no place for the console');
const place: Element = root;
const preferences = openPreferences();
const navigation = new Navigation();
const isShown = pageShown();

interface Service {
  readonly client: Client;
  readonly settings: ConsoleSettings;
}

const sharedWorker = findSharedWorker();

async function showConsole(service: Service, session: SignedIn): Promise<void> {
  const { client, settings } = service;
  const openPort = await sharedWorker;
  const sharedStreams = openPort === null ? undefined : new SharedStreams(session.key_id, openPort);
  addEventListener('pagehide', close);
  function close(): void {
    removeEventListener('pagehide', close);
    live.stop();
    sharedStreams?.close();
    // The views of the next session must not keep anything of this one.
    render(null, place);
  }
  const onEnded = (): void => {
    close();
    void openSession(service, texts.value.session.ended, session.key_id);
  };
  const live = new Live(client, onEnded, { isShown, sharedStreams });
  const signOut = async (): Promise<void> => {
    await client.session.end();
    sharedStreams?.signOut();
    close();
    showSignIn(service, null);
  };
  const stops = new StopRequests(() => live.makeRoom());
  live.start();
  render(
    <ConsoleContext.Provider
      value={{ client, settings, live, stops, navigation, preferences, session, signOut }}
    >
      <App />
    </ConsoleContext.Provider>,
    place,
  );
}

/** A key that only reads leaves no records, so a screen on a wall is not asked. */
function askPerson(service: Service, session: SignedIn): void {
  const isAsked = preferences.person.peek() === '' && session.scopes.some((scope) => scope !== 'read');
  if (!isAsked) {
    void showConsole(service, session);
    return;
  }
  const onNamed = (name: string): void => {
    preferences.person.value = name;
    render(null, place);
    void showConsole(service, session);
  };
  render(<PersonView onNamed={onNamed} />, place);
}

function showSignIn(service: Service, reason: string | null): void {
  const onSignedIn = (session: SignedIn): void => askPerson(service, session);
  render(<SignInView client={service.client} reason={reason} onSignedIn={onSignedIn} />, place);
}

/** Tries until the service answers. */
async function openService(): Promise<Service> {
  for (;;) {
    const settings = await readPageSettings();
    if (settings !== null) {
      const { silo_segment: siloSegment, field_segment: fieldSegment } = settings;
      return { client: createClient({ baseUrl: location.origin, siloSegment, fieldSegment }), settings };
    }
    await showUnreachable();
  }
}

/** Opens the console for the session of the browser, unless it is that of a key that was refused; else the person signs in. */
async function openSession(service: Service, reason: string | null, refusedKeyId?: string): Promise<void> {
  const ask = async (): Promise<SignInResult> => {
    const result = await currentSession(service.client);
    const isRefused = isSignedIn(result) && result.key_id === refusedKeyId;
    return isRefused ? { kind: 'refused', message: '' } : result;
  };
  await openWith(service, ask, reason);
}

async function openWith(
  service: Service,
  ask: () => Promise<SignInResult>,
  reason: string | null,
): Promise<void> {
  for (;;) {
    const result = await ask();
    if (isSignedIn(result)) return askPerson(service, result);
    if (result.kind === 'refused') return showSignIn(service, reason);
    await showUnreachable();
  }
}

async function start(): Promise<void> {
  const code = takeCode();
  const service = await openService();
  if (code === null) await openSession(service, null);
  else await openWith(service, () => signIn(service.client, { code }), texts.value.session.codeUsed);
}

async function showUnreachable(): Promise<void> {
  render(<p class="notice">{texts.value.session.unreachable}</p>, place);
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}

// A page that the browser kept and shows again has left its streams.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
await start();

/** Whether the person can see the page: not while it is behind another one or minimised. */
function pageShown(): ReadonlySignal<boolean> {
  const isShown = signal(!document.hidden);
  document.addEventListener('visibilitychange', () => {
    isShown.value = !document.hidden;
  });
  return isShown;
}
