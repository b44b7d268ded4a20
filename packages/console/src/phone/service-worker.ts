import { aboutAddress, alertsAddress } from '@granary/contract/page-addresses';
import type { PushedItem, PushPayload } from '@granary/contract/push';
import { inWords, missionText, type Reader, written } from '@granary/contract/sentences/writing';
import { shownAs, units } from '../context/units.ts';
import {
  formatDate,
  formatDuration,
  formatMass,
  formatNumber,
  formatQuantity,
  formatTime,
  otherZone,
  unitSymbol,
  zoneOf,
} from '../kit/format.ts';
import { entryOf, KEPT_PLACE, KEPT_TIME, type KeptTexts, readTexts, SHELL } from './kept.ts';

/** The types of the browser for pages do not contain those of service workers. */
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface PushEvent extends ExtendableEvent {
  readonly data: { json(): unknown } | null;
}

interface NotificationEvent extends ExtendableEvent {
  readonly notification: Notification;
}

interface WindowClient {
  readonly url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}

interface Events {
  install: ExtendableEvent;
  activate: ExtendableEvent;
  fetch: FetchEvent;
  push: PushEvent;
  notificationclick: NotificationEvent;
}

interface Worker {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof Events>(type: Name, listener: (event: Events[Name]) => void): void;
}

const worker = self as unknown as Worker;

/** After this time without an answer the kept page is shown. */
const PAGE_WITHIN_MS = 5_000;

worker.addEventListener('install', () => void worker.skipWaiting());
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  // Everything else, including every value of a device, comes from the service or not at all.
  if (request.mode === 'navigate' && pathname === '/') event.respondWith(page(request));
  else if (pathname.startsWith('/assets/')) event.respondWith(asset(request));
});

/** The page of the service; without an answer in time, the kept page. */
async function page(request: Request): Promise<Response> {
  const shell = await caches.open(SHELL);
  const kept = await shell.match('/');
  const answer = fetch(request).then(async (answered) => {
    // An answer that comes late is kept, too, so that the next page is not an old one again.
    if (answered.ok) await keepPage(kept, answered.clone());
    return answered;
  });
  if (kept === undefined) return await answer;
  return await Promise.race([answer, late()]).catch(() => kept);
}

const late = (): Promise<never> =>
  new Promise((_, reject) => setTimeout(() => reject(new Error('late')), PAGE_WITHIN_MS));

/** Keeps the page. If it is another one, the files of the former page are removed. */
async function keepPage(kept: Response | undefined, answered: Response): Promise<void> {
  const before = await kept?.clone().text();
  if (before !== undefined && entryOf(before) !== entryOf(await answered.clone().text())) {
    await caches.delete(SHELL);
  }
  await (await caches.open(SHELL)).put('/', answered);
}

/** A file whose name contains a digest never changes, so the kept copy is used. */
async function asset(request: Request): Promise<Response> {
  const shell = await caches.open(SHELL);
  const kept = await shell.match(request.url);
  if (kept !== undefined) return kept;
  const answered = await fetch(request);
  if (answered.ok) await shell.put(request.url, answered.clone());
  return answered;
}

worker.addEventListener('push', (event) =>
  event.waitUntil(show(event.data?.json() as PushPayload | undefined)),
);

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(String(event.notification.data)));
});

/** Every message is shown, because browsers end the registration of a page that hides received messages. */
async function show(payload: PushPayload | undefined): Promise<void> {
  const texts = await readTexts().catch(() => null);
  const [first] = payload?.items ?? [];
  const options = { icon: '/icon-192.png', badge: '/icon-192.png', lang: texts?.locale ?? 'en' };
  if (payload === undefined || first === undefined) {
    const body = texts?.words['test'] ?? 'Messages reach this device.';
    await worker.registration.showNotification('Granary', { ...options, body, tag: 'test', data: '/' });
    return;
  }
  const isOnly = payload.count === 1;
  const title = isOnly ? titleOf(first, texts) : `${texts?.words['several'] ?? 'Alerts'}: ${payload.count}`;
  const body = isOnly
    ? `${messageOf(first, texts)}\n${first.facility}`
    : payload.items.map((item) => `${titleOf(item, texts)}: ${messageOf(item, texts)}`).join('\n');
  const isUrgent = payload.items.some(({ severity, is_over }) => severity === 'critical' && !is_over);
  await worker.registration.showNotification(title, {
    ...options,
    body,
    // A later message about the same alert replaces this one.
    tag: isOnly ? first.id : payload.notification_id,
    requireInteraction: isUrgent,
    data: addressOf(payload, first),
  });
}

function addressOf({ count }: PushPayload, { device_id, is_over, about }: PushedItem): string {
  if (count !== 1) return '/#/alerts';
  return `/${about === null ? alertsAddress(device_id, is_over) : aboutAddress(device_id, about)}`;
}

function titleOf({ kind, severity, is_over, device_name }: PushedItem, texts: KeptTexts | null): string {
  const name = severity !== null && is_over ? 'over' : kind;
  const word =
    texts?.words[name] ?? (severity === null ? inWords(kind) : (texts?.severities[severity] ?? severity));
  return `${word}: ${device_name}`;
}

const messageOf = (
  { message, message_code: code, message_values: values, ...item }: PushedItem,
  texts: KeptTexts | null,
): string => (texts && written({ code, values }, readerOf(texts, zoneOf(item)))) ?? message;

/** A time in the time zone of the site; its place is named if the clock of the phone shows another time. */
function timeText(timestamp: string, timeZone: string, { locale: place, inZone }: KeptTexts): string {
  const text = formatTime(timestamp, Date.now(), place, timeZone);
  const zone = otherZone(timeZone, Date.parse(timestamp));
  return zone === null ? text : inZone.replace(KEPT_TIME, () => text).replace(KEPT_PLACE, () => zone);
}

function readerOf(texts: KeptTexts, timeZone: string): Reader {
  const { locale: place, units: chosen, sentences, wordsOfSets, sensors, or } = texts;
  units.value = chosen;
  const number = (value: number, decimals: number): string => formatNumber(value, decimals, place, 0);
  return {
    sentences,
    words: wordsOfSets,
    language: place,
    number: (value) => number(value, 3),
    waypoint: (index) => number(index + 1, 0),
    percent: (value) => `${number(value, 1)} %`,
    time: (timestamp) => timeText(timestamp, timeZone, texts),
    date: (day) => formatDate(day, place),
    duration: (seconds) => formatDuration(seconds * 1_000),
    quantity: ({ value, unit }) => formatQuantity(value, unit, place),
    mass: (kg) => formatMass(kg, place),
    temperature: (celsius) => formatQuantity(celsius, 'celsius', place),
    warming: (celsius) => {
      const { unit, toShown } = shownAs('celsius', null);
      return `${number(toShown(celsius) - toShown(0), 3)}\u00a0${unitSymbol(unit)}`;
    },
    place: ({ latitude, longitude }) => [latitude, longitude].map((angle) => number(angle, 5)).join('; '),
    sensor: (id) => sensors[id] ?? inWords(id),
    mission: missionText,
    names: (names) => new Intl.ListFormat(place).format(names),
    or,
  };
}

/** Opens the address in the window that is already open, if there is one. */
async function open(address: string): Promise<void> {
  const [window] = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (window === undefined) await worker.clients.openWindow(address);
  else {
    await window.focus();
    await window.navigate(address);
  }
}
