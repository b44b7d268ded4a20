import type { Reader } from '@granary/contract/sentences/sentence';
import type { Units } from '@granary/contract/views';
import type { SignedIn } from '../context/signed-in.ts';
import type { SiteRecords } from '../live/refresher.ts';
import type { Site } from '../live/site.ts';

/** What belongs to the person who has signed in; signing out removes all of it. */
const KEPT = 'granary-kept';
const STATE = '/kept/state';
const TEXTS = '/kept/texts';
const KEPT_CHARS_MAX = 5_000_000;
/** After that nobody can be sure who holds the phone, and of what use the state is. */
const KEPT_FOR_MS = 7 * 24 * 3_600_000;

/** What the page knew when it was open last, for the time without a network. */
export interface KeptState {
  readonly session: SignedIn;
  readonly atMs: number;
  readonly records: SiteRecords;
}

/** Browsers have such a store only under HTTPS and at `localhost`, and people can forbid it. */
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

/** What the service worker needs to write a message in the language and the units of the person. */
export interface KeptTexts {
  readonly locale: string;
  readonly units: Units;
  readonly templates: Pick<Reader, 'sentences' | 'words'>;
  readonly sensors: Readonly<Record<string, string>>;
  readonly or: string;
  /** A time with the place of its zone, which stand here as below. */
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
    // Then nothing was kept.
  }
}

/** What one person has kept is not for the next one. */
export async function forgetOthers({ key_id: keyId }: SignedIn): Promise<void> {
  const state = await readState();
  if (state !== null && state.session.key_id !== keyId) await forgetKept();
}

/** Its script is the same whoever has signed in: the page, and what arrives by Web Push. */
export const SHELL = 'granary-shell';

/** What was loaded before the service worker was there is kept, too. */
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
    // Without HTTPS, or where people forbid it, the page works with a network only.
  }
}

/** The first script of the page, whose name changes with every change of the page. */
export const entryOf = (page: string): string | undefined =>
  /<script[^>]* src="(\/assets\/[^"]+)"/.exec(page)?.[1];

/** Whether the service has another page than this one by now. */
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
