import './styles/tokens.css';
import './styles/base.css';
import './styles/panel.css';
import './styles/print.css';
import { createClient } from '@granary/client';
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { render } from 'preact';
import { type Confirming, ConsoleContext, isSharedBrowser } from './context/console.ts';
import { openPreferences, openUnits, type Preferences } from './context/preferences.ts';
import { Navigation } from './context/routes.ts';
import { StopRequests } from './context/stop-requests.ts';
import { units } from './context/units.ts';
import { forecastsOf } from './foresight/forecasts.ts';
import { Live } from './live/live.ts';
import { readSite, type SiteRecords } from './live/refresher.ts';
import { openSharedStreams, type SharedStreams } from './live/streams/shared-streams.ts';
import {
  currentSession,
  isSignedIn,
  pageSettings,
  type SignedIn,
  type SignInResult,
  signIn,
  takeCode,
  takeWanted,
} from './session/sign-in.ts';
import { InvitedView, PersonView, SignInView } from './session/sign-in-view.tsx';
import { App, preloadView } from './shell/app.tsx';
import { texts } from './texts/texts.ts';

const AGAIN_MS = 2_000;
/** Who waits longer sees that the page is loading. */
const DRAWN_AFTER_MS = 200;
const COOKIE_KEPT_EVERY_MS = 12 * 3_600 * 1_000;

const root = document.querySelector('#console');
if (root === null) throw new Error('the page has no place for the console');
const place: Element = root;
takeWanted();
const navigation = new Navigation();
const isShown = pageShown();
const settings = pageSettings();
const { silo_segment: siloSegment, field_segment: fieldSegment, sign_on_name: signOnName } = settings;
const client = createClient({ baseUrl: location.origin, siloSegment, fieldSegment });

// What the first view needs is loaded at the same time: session, site, the code of the view, and the language.
const link = takeCode();
const ask = (): Promise<SignInResult> =>
  link?.kind === 'sign-in' ? signIn(client, { code: link.code }) : currentSession(client);
const firstAnswer = ask();
const firstRead = link === null ? readSite(client) : undefined;
// Without a session it is refused, and read after the sign-in.
firstRead?.catch(() => undefined);
preloadView(navigation.route.peek().view);
const preferences = await loadedPreferences();

/** `own`: of the key of this browser; at a terminal others sign in over it. `first`: the site, where it was asked for with the session. */
async function showConsole(own: SignedIn, first?: Promise<SiteRecords>): Promise<void> {
  let isOpen = true;
  let streams: Promise<SharedStreams | null> | undefined;
  const openStreams = (): Promise<SharedStreams | null> => {
    streams ??= openSharedStreams(own.key_id);
    return streams;
  };
  addEventListener('pagehide', close);
  function close(): void {
    isOpen = false;
    removeEventListener('pagehide', close);
    clearInterval(cookieTimer);
    unfollow();
    live.stop();
    void streams?.then((opened) => opened?.close());
    // The views of the next session must not keep anything of this one.
    render(null, place);
  }
  const onEnded = (): void => {
    close();
    // Another window may have signed in with another key; the one that was refused would be refused again.
    const askAgain = async (): Promise<SignInResult> => {
      const result = await currentSession(client);
      const isRefused = isSignedIn(result) && result.key_id === own.key_id;
      return isRefused ? { kind: 'refused', failure: null } : result;
    };
    void openWith(askAgain(), askAgain, texts.value.session.ended);
  };
  const live = new Live(client, onEnded, { isShown, openSharedStreams: openStreams, firstRead: first });
  const signOut = async (): Promise<void> => {
    await client.session.end();
    (await openStreams())?.signOut();
    close();
    showSignIn(null);
  };
  const stops = new StopRequests(() => live.makeRoom());
  // A browser keeps a cookie for a limited time; the answer brings it again.
  const keepCookie = (): void => void client.session.get({ timeLimitMs: 0 }).catch(() => undefined);
  const cookieTimer = isSharedBrowser(own) ? setInterval(keepCookie, COOKIE_KEPT_EVERY_MS) : undefined;
  const confirming = signal<Confirming | null>(null);
  live.start();
  // They tell what a bushel weighs.
  const unfollow = effect(() => {
    if (units.value.mass === 'bushel') forecastsOf(client, live);
  });
  const draw = (session: SignedIn): void => {
    openUnits(client, session).catch(() => undefined);
    const become = (next: SignedIn | null): void => draw(next ?? own);
    const shared = {
      client,
      settings,
      live,
      stops,
      navigation,
      preferences,
      session,
      confirming,
      become,
      signOut,
    };
    render(
      <ConsoleContext.Provider value={shared}>
        <App />
      </ConsoleContext.Provider>,
      place,
    );
  };
  // A page whose site is there at once is drawn once.
  await Promise.race([first?.catch(() => undefined), later(DRAWN_AFTER_MS)]);
  if (isOpen) draw(own);
}

/** Only a key does not say who uses it. One that only reads leaves no records, so a screen on a wall is not asked. */
function askPerson(session: SignedIn, read?: Promise<SiteRecords>): void {
  const isAsked =
    session.kind === 'service' &&
    preferences.person.peek() === '' &&
    session.scopes.some((scope) => scope !== 'read');
  if (!isAsked) {
    // A terminal that was just locked may see less than the person at whose session it was read.
    void showConsole(session, session.terminal === null ? read : undefined);
    return;
  }
  const onNamed = (name: string): void => {
    preferences.person.value = name;
    render(null, place);
    void showConsole(session);
  };
  render(<PersonView onNamed={onNamed} />, place);
}

function showSignIn(reason: string | null): void {
  render(
    <SignInView client={client} signOnName={signOnName} reason={reason} onSignedIn={askPerson} />,
    place,
  );
}

/** Asks until the service answers; then opens the console, or the person signs in. */
async function openWith(
  first: Promise<SignInResult>,
  again: () => Promise<SignInResult>,
  reason: string | null,
  read?: Promise<SiteRecords>,
): Promise<void> {
  for (let result = await first; ; result = await again()) {
    if (isSignedIn(result)) return askPerson(result, read);
    if (result.kind === 'refused') return showSignIn(reason);
    render(<p class="notice">{texts.value.session.unreachable}</p>, place);
    await later();
  }
}

/** Without its texts the page can only say that it waits for them. */
async function loadedPreferences(): Promise<Preferences> {
  for (;;) {
    try {
      return await openPreferences();
    } catch {
      place.textContent = 'Granary …';
      await later();
    }
  }
}

function later(ms = AGAIN_MS): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// A page that the browser kept and shows again has left its streams.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
if (link?.kind === 'invite') {
  render(
    <InvitedView client={client} signOnName={signOnName} invite={link.code} onSignedIn={askPerson} />,
    place,
  );
} else await openWith(firstAnswer, ask, link === null ? null : texts.value.session.codeUsed, firstRead);

/** Whether the person can see the page: not while it is behind another one or minimised. */
function pageShown(): ReadonlySignal<boolean> {
  const isShown = signal(!document.hidden);
  document.addEventListener('visibilitychange', () => {
    isShown.value = !document.hidden;
  });
  return isShown;
}
