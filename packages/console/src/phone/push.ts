import type { Client } from '@granary/client';
import { units } from '../context/units.ts';
import { locale, messages, texts } from '../texts.ts';
import { KEPT_PLACE, KEPT_TIME, keepTexts } from './kept.ts';

/** The person whose messages this browser receives. */
const OWNER = 'granary.push';

/** The reason why this browser cannot receive messages at this address; `null` if it can. */
export function pushObstacle(): 'encryption' | 'install' | 'denied' | 'browser' | null {
  if (!isSecureContext) return 'encryption';
  if (!('serviceWorker' in navigator) || typeof PushManager === 'undefined') {
    // iOS offers Web Push only to pages on the home screen.
    return 'standalone' in navigator ? 'install' : 'browser';
  }
  return Notification.permission === 'denied' ? 'denied' : null;
}

/** Keeps the texts with which the service worker writes messages, because it cannot load a language by itself. */
export const keepPushTexts = (): Promise<void> =>
  keepTexts({
    locale: locale.peek(),
    units: units.peek(),
    sentences: messages.peek().sentences,
    wordsOfSets: messages.peek().words,
    sensors: texts.peek().common.sensors,
    or: ` ${texts.peek().common.or} `,
    inZone: texts.peek().common.inZone({ text: KEPT_TIME, place: KEPT_PLACE }),
    severities: texts.peek().common.severities,
    words: texts.peek().push.words,
  });

async function ownSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker?.getRegistration();
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** Whether this browser is registered at its push service for this person. */
export const isPushOn = async (keyId: string): Promise<boolean> =>
  localStorage.getItem(OWNER) === keyId && (await ownSubscription()) !== null;

/** Asks the person for permission, and registers this browser at its push service and at the service. */
export async function turnPushOn(client: Client, keyId: string, publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') return;
  const registration = await navigator.serviceWorker.register('/service-worker.js');
  await navigator.serviceWorker.ready;
  // A subscription that was made for other keys would be refused.
  await (await ownSubscription())?.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  await register(client, await registration.pushManager.subscribe(options));
  localStorage.setItem(OWNER, keyId);
  await keepPushTexts();
}

async function register(client: Client, subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  await client.push.subscribe({ endpoint: endpoint ?? '', keys: { p256dh, auth } });
}

/** Ends the subscription in this browser. This needs no service, which ends the subscription by itself with the session. */
export async function turnPushOff(): Promise<void> {
  try {
    localStorage.removeItem(OWNER);
    await (await ownSubscription())?.unsubscribe();
  } catch {
    // A failure is ignored, because the service sends no messages to a subscription that has ended there.
  }
}

/** Renews the subscription at each start, because the session is another one and the browser may have a new address at the push service. */
export async function renewPush(client: Client, keyId: string): Promise<void> {
  try {
    const subscription = await ownSubscription();
    if (subscription === null) return;
    if (localStorage.getItem(OWNER) !== keyId) {
      await turnPushOff();
      return;
    }
    await register(client, subscription);
    await keepPushTexts();
  } catch {
    // A failure is ignored here: the page of the person shows whether messages reach this browser.
  }
}
