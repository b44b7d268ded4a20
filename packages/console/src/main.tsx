import { createClient } from '@granary/client';
import { render } from 'preact';
import { App } from './app.tsx';
import { ConsoleContext } from './console.ts';
import { Live } from './live/live.ts';
import { pageShown } from './live/page-shown.ts';
import { Navigation } from './navigation.ts';
import { openPreferences } from './preferences.ts';
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
const client = createClient({ baseUrl: location.origin });
const preferences = openPreferences();
const navigation = new Navigation();
const isShown = pageShown();

function showConsole(session: SignedIn): void {
  const close = (reason: string | null): void => {
    live.stop();
    showSignIn(reason);
  };
  const live = new Live(client, () => close(texts.value.session.ended), { isShown });
  const leave = async (): Promise<void> => {
    await client.session.end();
    close(null);
  };
  live.start();
  render(
    <ConsoleContext.Provider value={{ client, live, navigation, preferences, session, signOut: leave }}>
      <App />
    </ConsoleContext.Provider>,
    place,
  );
}

function showSignIn(reason: string | null): void {
  render(
    <SignInView client={client} preferences={preferences} reason={reason} onSignedIn={showConsole} />,
    place,
  );
}

async function start(): Promise<void> {
  const code = takeCode();
  for (;;) {
    const result = code === null ? await currentSession(client) : await signIn(client, { code });
    if (isSignedIn(result)) return showConsole(result);
    if (result.kind === 'refused') return showSignIn(code === null ? null : texts.value.session.codeUsed);
    render(<p class="notice">{texts.value.session.unreachable}</p>, place);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

await start();
