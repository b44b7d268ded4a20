import type { Reader } from '@granary/contract/sentences/writing';
import type { Units } from '@granary/contract/views';
import type { SignedIn } from '../context/signed-in.ts';
import type { SiteRecords } from '../live/refresher.ts';
import type { Site } from '../live/site.ts';

/** The store for everything that belongs to the person who has signed in; signing out removes all of it. */
const KEPT = 'granary-kept';
const STATE = '/kept/state';
/** Texts of another form have another address, because a new service worker can find those of an older page. */
const TEXTS = '/kept/messages';
const KEPT_CHARS_MAX = 5_000_000;
/** The kept state is not used longer than this, because then nobody knows who holds the phone, and the state is of little use. */
const KEPT_FOR_MS = 7 * 24 * 3_600_000;

/** The state of the page when it was last open, for the time without a network. */
export interface KeptState {
  readonly session: SignedIn;
  readonly atMs: number;
  readonly records: SiteRecords;
}

/** Opens the store; `null` if the browser has none: it exists only under HTTPS and at `localhost`, and people can forbid it. */
async function openKept(): Promise<Cache | null> {
  try {
    return await caches.open(KEPT);
  } catch {
    return null;
  }
}

export async function keepState(session: SignedIn, site: Site): Promise<void> {
  const atMs = site.clock.nowMs.peek();
  const records: SiteRecords = {
    at: new Date(atMs).toISOString(),
    lastEventId: 0,
    devices: [...site.devices.all.peek().values()].map((device) => device.peek()),
    alerts: site.alerts.everything(),
    operations: site.operations.everything(),
    missions: site.missions.everything(),
    commands: site.commands.everything(),
    zones: site.zones.peek(),
  };
  const text = JSON.stringify({ session, atMs, records } satisfies KeptState);
  const kept = await openKept();
  if (text.length <= KEPT_CHARS_MAX) await kept?.put(STATE, new Response(text));
  else await kept?.delete(STATE);
}

export async function readState(): Promise<KeptState | null> {
  try {
    const found = await (await openKept())?.match(STATE);
    const state = (await found?.json()) as KeptState | undefined;
    return state === undefined || Date.now() - state.atMs > KEPT_FOR_MS ? null : state;
  } catch {
    return null;
  }
}

/** The texts with which the service worker writes a message in the language and the units of the person. */
export interface KeptTexts {
  readonly locale: string;
  readonly units: Units;
  readonly sentences: Reader['sentences'];
  readonly wordsOfSets: Reader['words'];
  readonly sensors: Readonly<Record<string, string>>;
  readonly or: string;
  /** The template of a time with the place of its zone; the two marks below stand for them. */
  readonly inZone: string;
  readonly severities: Readonly<Record<string, string>>;
  readonly words: Readonly<Record<string, string>>;
}

export const KEPT_TIME = '{time}';
export const KEPT_PLACE = '{place}';

export async function keepTexts(texts: KeptTexts): Promise<void> {
  await (await openKept())?.put(TEXTS, new Response(JSON.stringify(texts)));
}

export async function readTexts(): Promise<KeptTexts | null> {
  const found = await (await openKept())?.match(TEXTS);
  return found === undefined ? null : ((await found.json()) as KeptTexts);
}

export async function forgetKept(): Promise<void> {
  try {
    await caches.delete(KEPT);
  } catch {
    // Without a store nothing was kept.
  }
}

/** Removes what other people have kept, because it is not for the next person. */
export async function forgetOthers({ key_id: keyId }: SignedIn): Promise<void> {
  const state = await readState();
  if (state !== null && state.session.key_id !== keyId) await forgetKept();
}

/** The store of the page and its files, which are the same whoever has signed in. */
export const SHELL = 'granary-shell';

/** Starts the service worker, and also keeps what was loaded before it was there. */
export async function startServiceWorker(): Promise<void> {
  try {
    await navigator.serviceWorker.register('/service-worker.js');
    const shell = await caches.open(SHELL);
    const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
    const files = loaded.filter(
      ({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'),
    );
    const missing = ['/', ...new Set(files.map(({ pathname }) => pathname))];
    for (const path of missing) if ((await shell.match(path)) === undefined) await shell.add(path);
  } catch {
    // Without HTTPS, or if people forbid it, the page works only with a network.
  }
}

/** The name of the first script of a page, which changes with every change of the page. */
export const entryOf = (page: string): string | undefined =>
  /<script[^>]* src="(\/assets\/[^"]+)"/.exec(page)?.[1];

/** Whether the service has another page than this one. */
export async function isOutdated(): Promise<boolean> {
  try {
    const answer = await fetch('/', { cache: 'no-cache' });
    const newest = entryOf(await answer.text());
    const own = document.querySelector('script[src]')?.getAttribute('src');
    return answer.ok && newest !== undefined && newest !== own;
  } catch {
    return false;
  }
}
