import { type Client, createClient } from '@granary/client';
import type { ConsoleSettings } from '@granary/contract/console';
import { render } from 'preact';
import { App } from './app.tsx';
import { ConsoleContext } from './console.ts';
import { Live } from './live/live.ts';
import { pageShown } from './live/page-shown.ts';
import { Navigation } from './navigation.ts';
import { openPreferences } from './preferences.ts';
import { readPageSettings } from './session/page-settings.ts';
import { currentSession, isSignedIn, type SignedIn, signIn, takeCode } from './session/sign-in.ts';
import { SignInView } from './session/sign-in-view.tsx';
import { texts } from './texts/texts.ts';
import './styles/tokens.css';
import './styles/base.css';
import './parts/panel.css';

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

function showConsole(service: Service, session: SignedIn): void {
  const { client, settings } = service;
  const close = (reason: string | null): void => {
    live.stop();
    showSignIn(service, reason);
  };
  const live = new Live(client, () => close(texts.value.session.ended), { isShown });
  const signOut = async (): Promise<void> => {
    await client.session.end();
    close(null);
  };
  live.start();
  render(
    <ConsoleContext.Provider value={{ client, settings, live, navigation, preferences, session, signOut }}>
      <App />
    </ConsoleContext.Provider>,
    place,
  );
}

function showSignIn(service: Service, reason: string | null): void {
  const onSignedIn = (session: SignedIn): void => showConsole(service, session);
  render(
    <SignInView client={service.client} preferences={preferences} reason={reason} onSignedIn={onSignedIn} />,
    place,
  );
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

async function start(): Promise<void> {
  const code = takeCode();
  const service = await openService();
  const { client } = service;
  for (;;) {
    const result = code === null ? await currentSession(client) : await signIn(client, { code });
    if (isSignedIn(result)) return showConsole(service, result);
    if (result.kind === 'refused') {
      return showSignIn(service, code === null ? null : texts.value.session.codeUsed);
    }
    await showUnreachable();
  }
}

async function showUnreachable(): Promise<void> {
  render(<p class="notice">{texts.value.session.unreachable}</p>, place);
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}

await start();
