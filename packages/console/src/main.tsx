import './styles/tokens.css';
import { set } from './kit/set.ts';
import './styles/base.css';
import './styles/panel.css';
import './styles/print.css';
import { createClient } from '@granary/client';
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { render } from 'preact';
import { type Confirming, ConsoleContext, isSharedBrowser } from './context/console.ts';
import { followZone } from './context/page-zone.ts';
import { openPreferences, openUnits, type Preferences } from './context/preferences.ts';
import { Navigation } from './context/routes.ts';
import type { SignedIn } from './context/signed-in.ts';
import { StopRequests } from './context/stop-requests.ts';
import { units } from './context/units.ts';
import { forecastsOf } from './foresight/forecasts.ts';
import { Live } from './live/live.ts';
import { readSite, type SiteRecords } from './live/refresher.ts';
import { openSharedStreams, type SharedStreams } from './live/streams/shared-streams.ts';
import {
  forgetKept,
  forgetOthers,
  isOutdated,
  type KeptState,
  keepState,
  readState,
  startServiceWorker,
} from './phone/kept.ts';
import { isPushOn, keepPushTexts, renewPush, turnPushOff } from './phone/push.ts';
import {
  currentSession,
  isSignedIn,
  pageSettings,
  type SignInResult,
  signIn,
  takeLink,
  takeWanted,
} from './session/sign-in.ts';
import { InvitedView, SignInView } from './session/sign-in-view.tsx';
import { App } from './shell/app.tsx';
import { isView, preloadView } from './shell/views.ts';
import { language, texts } from './texts.ts';

const AGAIN_MS = 2_000;
/** After this time the page shows that it is loading. */
const DRAWN_AFTER_MS = 200;
const COOKIE_KEPT_EVERY_MS = 12 * 3_600 * 1_000;
const STATE_KEPT_EVERY_MS = 5 * 60 * 1_000;
/** After this time a network counts as unreachable, because one that answers nothing looks like a slow one. */
const SLOW_MS = 5_000;

const root = document.querySelector('#console');
if (root === null) throw new Error('the page has no place for the console');
const place: Element = root;
takeWanted();
const navigation = new Navigation(isView);
const isShown = pageShown();
const settings = pageSettings();
const { silo_segment: siloSegment, field_segment: fieldSegment, sign_on_name: signOnName } = settings;
const client = createClient({ baseUrl: location.origin, siloSegment, fieldSegment });

// Everything for the first view is loaded at the same time: session, site, the code of the view, and the language.
const link = takeLink();
const ask = (): Promise<SignInResult> =>
  link?.kind === 'sign-in' ? signIn(client, { code: link.code }) : currentSession(client);
const firstAnswer = ask();
const firstRead = link === null ? readSite(client) : undefined;
// Without a session this read is refused; the site is then read after the sign-in.
firstRead?.catch(() => undefined);
preloadView(navigation.route.peek().view);
const preferences = await loadedPreferences();

interface Opened {
  /** The site, if it was requested together with the session. */
  readonly first?: Promise<SiteRecords> | undefined;
  /** The state that was kept earlier, in place of everything that the service would answer. */
  readonly kept?: KeptState;
}

/** Shows the console. `own` is the session of the key of this browser; at a terminal people sign in over it. Returns the function that closes it. */
async function showConsole(own: SignedIn, { first, kept }: Opened = {}): Promise<() => void> {
  if (kept === undefined) void forgetOthers(own);
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
    endCookie();
    unfollow();
    unfollowZone();
    endKeeping();
    live.stop();
    void streams?.then((opened) => opened?.close());
    // The views of the next session must not keep any state of this one.
    render(null, place);
  }
  const onEnded = (): void => {
    close();
    const askAgain = (): Promise<SignInResult> => otherSession(own);
    void openWith(askAgain(), askAgain, texts.value.session.ended);
  };
  const live = new Live(client, onEnded, { isShown, openSharedStreams: openStreams, firstRead: first });
  const signOut = async (): Promise<void> => {
    endKeeping();
    // The end of the session does not wait for the push service of the browser.
    void turnPushOff();
    try {
      await client.session.end();
    } catch (error) {
      await forgetKept();
      // Only the service can end the session; if it does not answer, the reloaded page shows nothing of the session.
      location.reload();
      throw error;
    }
    await forgetKept();
    (await openStreams())?.signOut();
    close();
    showSignIn(null);
  };
  const stops = new StopRequests(() => live.makeRoom());
  const endCookie = isSharedBrowser(own) ? keepCookie() : () => undefined;
  const confirming = signal<Confirming | null>(null);
  const personAsked = signal(isPersonAsked(own) ? (link?.name ?? '') : null);
  const endKeeping = kept === undefined && !isSharedBrowser(own) ? keepFor(own, live) : () => undefined;
  if (kept === undefined) live.start();
  else live.showKept(kept);
  const unfollowZone = followZone(live, navigation);
  // The forecasts contain the weight of a bushel.
  const unfollow = effect(() => {
    if (units.value.mass === 'bushel') forecastsOf(client, live);
  });
  const draw = (session: SignedIn): void => {
    openUnits(client, session).catch(() => undefined);
    const become = (next: SignedIn | null): void => draw(next ?? own);
    const parts = { client, settings, live, stops, navigation, preferences, session };
    render(
      <ConsoleContext.Provider value={{ ...parts, confirming, personAsked, become, signOut }}>
        <App />
      </ConsoleContext.Provider>,
      place,
    );
  };
  // The page waits for the site for a moment, so that it is drawn only once.
  if (kept === undefined) await Promise.race([first?.catch(() => undefined), later(DRAWN_AFTER_MS)]);
  if (isOpen) draw(own);
  return close;
}

/** The session of another window, which may have signed in with another key. The key that was refused is not tried again. */
async function otherSession({ key_id }: SignedIn): Promise<SignInResult> {
  const result = await currentSession(client);
  const isRefused = isSignedIn(result) && result.key_id === key_id;
  return isRefused ? { kind: 'refused', failure: null } : result;
}

/** A browser keeps a cookie for a limited time, and each answer to this request renews it. */
function keepCookie(): () => void {
  const renew = (): void => void client.session.get({ timeLimitMs: 0 }).catch(() => undefined);
  const timer = setInterval(renew, COOKIE_KEPT_EVERY_MS);
  return () => clearInterval(timer);
}

/** Keeps the state in the browser while it is current, and reloads the page when the service has another one. */
function keepFor(own: SignedIn, live: Live): () => void {
  const { current } = live.connection;
  const keep = (): void => {
    if (current.peek().state === 'live') void keepState(own, live.site).catch(() => undefined);
  };
  const timer = setInterval(keep, STATE_KEPT_EVERY_MS);
  let isFirst = true;
  const ends = [
    effect(() => {
      if (current.value.state !== 'live') return;
      keep();
      if (isFirst) void startServiceWorker().then(() => renewPush(client, own.key_id));
      else void reloadIfOutdated();
      isFirst = false;
    }),
    effect(() => {
      if (!isShown.value) keep();
    }),
    effect(() => {
      // These signals are read so that the next message is in the language and the units that the person has chosen now.
      language.value;
      units.value;
      void isPushOn(own.key_id).then((isOn) => (isOn ? keepPushTexts() : undefined));
    }),
  ];
  return () => {
    clearInterval(timer);
    for (const end of ends) end();
  };
}

/** Reloads the page if the service has another one after an interruption, but not while a person uses a form. */
async function reloadIfOutdated(): Promise<void> {
  const isBusy = document.querySelector('dialog[open], input:focus, select:focus, textarea:focus') !== null;
  if (!isBusy && (await isOutdated())) location.reload();
}

/** Only a key does not say who uses it. A key that only reads leaves no records, so a screen on a wall is not asked. */
const isPersonAsked = ({ kind, scopes }: SignedIn): boolean =>
  kind === 'service' && preferences.person.peek() === '' && scopes.some((scope) => scope !== 'read');

/** Opens the console. At a terminal the earlier read is not used: a locked terminal may see less than the person for whom it was read. */
const openConsole = (session: SignedIn, read?: Promise<SiteRecords>): void =>
  void showConsole(session, { first: session.terminal === null ? read : undefined });

function showSignIn(reason: string | null): void {
  render(
    <SignInView
      client={client}
      signOnName={signOnName}
      hasPeople={settings.has_people}
      reason={reason}
      onSignedIn={openConsole}
    />,
    place,
  );
}

/** Asks until the service answers; then opens the console or the sign-in. */
async function openWith(
  first: Promise<SignInResult>,
  again: () => Promise<SignInResult>,
  reason: string | null,
  read?: Promise<SiteRecords>,
): Promise<void> {
  const shown: Promise<() => void>[] = [];
  const showOld = (): void => {
    if (shown.length === 0) shown.push(showUnreachable());
  };
  for (let asked = first; ; asked = again()) {
    const timer = setTimeout(showOld, SLOW_MS);
    const result = await asked;
    clearTimeout(timer);
    if (isSignedIn(result) || result.kind === 'refused') {
      (await shown[0])?.();
      if (isSignedIn(result)) return openConsole(result, asked === first ? read : undefined);
      await forgetKept();
      return showSignIn(reason);
    }
    showOld();
    await later();
  }
}

/** Shows the state that was kept when the page was last open, if there is one; not with a link that signs in, because it is for another person. */
async function showUnreachable(): Promise<() => void> {
  const kept = link === null ? await readState() : null;
  if (kept !== null) return await showConsole(kept.session, { kept });
  render(<p class="notice">{texts.value.session.unreachable}</p>, place);
  return () => render(null, place);
}

/** Waits for the texts of the page, because without them the page can show nothing else. */
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

// A page that the browser has kept and shows again is not connected to its streams.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
if (link?.kind === 'invite') {
  render(
    <InvitedView client={client} signOnName={signOnName} invite={link.code} onSignedIn={openConsole} />,
    place,
  );
} else await openWith(firstAnswer, ask, link === null ? null : texts.value.session.codeUsed, firstRead);

/** Whether the person can see the page: not while it is behind another one or minimised. */
function pageShown(): ReadonlySignal<boolean> {
  const isShown = signal(!document.hidden);
  document.addEventListener('visibilitychange', () => set(isShown, !document.hidden));
  return isShown;
}
