import {
  createCipheriv,
  createECDH,
  createHash,
  createPrivateKey,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto';
import type { App } from '@granary/app/app';
import type { AttemptOutcome } from '@granary/app/notifications/attempts';
import type { PushKeys, StoredSubscription } from '@granary/app/notifications/push-rows';
import { DAY_MS, HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { isValidAt, limitsWith } from '@granary/core/keys';
import { isPushService, pushPayload } from '@granary/core/notifications/push';
import type { StoredNotification } from '@granary/core/notifications/record';
import type { Settings } from '../../process/settings.ts';
import { AddressGuard, type Resolve } from '../webhooks/address-guard.ts';
import { ATTEMPT_MS_MAX, WebhookSender } from '../webhooks/sender.ts';

const CURVE = 'prime256v1';
const RECORD_BYTES = 4_096;
const TOKEN_MS = 12 * HOUR_MS;
/** How long a push service keeps a message for a phone that is off; later the list of alerts is the better source. */
const KEPT_FOR_S = DAY_MS / SECOND_MS;
/** The push service does not know the browser any more. */
const GONE: readonly number[] = [404, 410];
/** After these statuses another attempt would fail again; after 429 and the errors of a server (5xx) it may succeed. */
const REFUSED: readonly number[] = [400, 401, 403, 413];

function newPushKeys(): PushKeys {
  const keys = createECDH(CURVE);
  const publicKey = keys.generateKeys('base64url');
  return { publicKey, privateKey: keys.getPrivateKey('base64url') };
}

/** Whether the key is a point of the curve, as the key of every browser is. */
export function isPublicKey(p256dh: string): boolean {
  try {
    const own = createECDH(CURVE);
    own.generateKeys();
    own.computeSecret(p256dh, 'base64url');
    return true;
  } catch {
    return false;
  }
}

/** Encrypts a text for one browser (RFC 8291, with the encoding aes128gcm of RFC 8188). */
export function encrypted(
  text: string,
  { p256dh, auth }: Pick<StoredSubscription, 'p256dh' | 'auth'>,
): Buffer {
  const browserKey = Buffer.from(p256dh, 'base64url');
  const own = createECDH(CURVE);
  const ownKey = own.generateKeys();
  const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browserKey, ownKey]);
  const secret = derive(own.computeSecret(browserKey), Buffer.from(auth, 'base64url'), info, 32);
  const salt = randomBytes(16);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(ownKey.length, 4);
  // The last record ends with 2.
  return Buffer.concat([
    salt,
    head,
    ownKey,
    cipher.update(`${text}\x02`),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** Tells the push service who sends (VAPID, RFC 8292). */
function authorization(endpoint: string, keys: PushKeys, contact: string, nowMs: number): string {
  const point = Buffer.from(keys.publicKey, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: keys.privateKey,
  };
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const expires = Math.floor((nowMs + TOKEN_MS) / SECOND_MS);
  const claims = { aud: new URL(endpoint).origin, exp: expires, sub: contact };
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${keys.publicKey}`;
}

interface PusherParts {
  readonly app: {
    readonly notifications: Pick<
      App['notifications'],
      'pushDestination' | 'pushKeys' | 'keepPushKeys' | 'unsubscribe'
    >;
  };
  readonly settings: Pick<Settings, 'pushOrigins' | 'publicUrl' | 'mailFrom'>;
  readonly resolve: Resolve | undefined;
  readonly now: () => number;
}

/** Sends notifications to browsers, through the push services of their makers. */
export class Pusher {
  readonly #parts: PusherParts;
  /** Push services are on the internet; only the settings can name one in the network of the site. */
  readonly #public: WebhookSender;
  readonly #named: WebhookSender;
  readonly #contact: string;
  readonly #stopped = new AbortController();
  #keys: PushKeys | undefined;

  constructor(parts: PusherParts) {
    const { settings, resolve, now } = parts;
    this.#parts = parts;
    this.#public = new WebhookSender(new AddressGuard(false, resolve), ATTEMPT_MS_MAX, now);
    this.#named = new WebhookSender(new AddressGuard(true, resolve), ATTEMPT_MS_MAX, now);
    const { publicUrl, mailFrom } = settings;
    this.#contact = publicUrl ?? `mailto:${mailFrom?.address ?? 'granary@localhost'}`;
  }

  /** Makes the keys of the service where it has none yet. */
  async prepare(): Promise<void> {
    const { notifications } = this.#parts.app;
    this.#keys = await notifications.pushKeys();
    if (this.#keys !== undefined) return;
    await notifications.keepPushKeys(newPushKeys());
    this.#keys = await notifications.pushKeys();
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** The owner of the browser, and what that person may see, are read again at each attempt. */
  async send({ notificationId, content: { target, push } }: StoredNotification): Promise<AttemptOutcome> {
    const { app, settings, now } = this.#parts;
    const subscriptionId = 'subscription_id' in target ? target.subscription_id : null;
    if (subscriptionId === null || push === undefined) return failed('the target is not a browser', true);
    const found = await app.notifications.pushDestination(subscriptionId);
    if (found === undefined || !isValidAt(found.caller, now()))
      return failed('the browser is signed out', true);
    const text = pushPayload(push, limitsWith(found.caller, 'read'), notificationId);
    if (text === null) return failed('the person may not see the device any more', true);
    if (this.#keys === undefined) return failed('the keys of the service are not there yet', false);
    const { endpoint } = found.subscription;
    if (!isPushService(endpoint, settings.pushOrigins)) return failed('the push service is not known', true);
    const isUrgent = push.items.some(({ severity }) => severity === 'critical');
    const headers = {
      authorization: authorization(endpoint, this.#keys, this.#contact, now()),
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(KEPT_FOR_S),
      urgency: isUrgent ? 'high' : 'normal',
      ...topicOf(push.items),
    };
    const isNamed = settings.pushOrigins.includes(new URL(endpoint).origin);
    const request = { url: endpoint, headers, body: encrypted(text, found.subscription) };
    const answer = await (isNamed ? this.#named : this.#public).send(request, this.#stopped.signal);
    if (answer.kind !== 'answered') return failed(answer.error, false);
    const { status } = answer;
    if (status >= 200 && status < 300) return { isSent: true };
    if (GONE.includes(status)) await app.notifications.unsubscribe(found.subscription.keyId, subscriptionId);
    return failed(`the push service answered ${status}`, GONE.includes(status) || REFUSED.includes(status));
  }
}

const failed = (error: string, isPermanent: boolean): AttemptOutcome => ({
  isSent: false,
  error,
  isPermanent,
});

/** The push service replaces a message that a phone has not received yet by a newer one about the same alert. */
function topicOf(items: readonly { readonly id: string }[]): { readonly topic?: string } {
  const [only] = items;
  if (only === undefined || items.length > 1) return {};
  return { topic: createHash('sha256').update(only.id).digest('base64url').slice(0, 32) };
}
