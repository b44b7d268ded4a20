import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';

const RP_ID_HASH_BYTES = 32;
const COUNT_AT = 33;
const CREDENTIAL_LENGTH_AT = 53;
const CREDENTIAL_AT = 55;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const MAY_BE_BACKED_UP = 0x08;
const IS_BACKED_UP = 0x10;
const HAS_CREDENTIAL = 0x40;
const RSA_BITS_MIN = 2_048;

interface Signed {
  readonly client_data: string;
  readonly authenticator_data: string;
}

interface Expected {
  readonly type: 'webauthn.create' | 'webauthn.get';
  /** Whether a page of this service has this origin. */
  readonly isOwn: (origin: string) => boolean;
}

export interface CheckedPasskey {
  /** The challenge that was signed, which is not checked or used up yet. */
  readonly challenge: string;
  /** The host name for which the passkey was made or has signed. */
  readonly rpId: string;
  readonly signCount: number;
  /** The id of a new passkey; `null` otherwise. */
  readonly credentialId: string | null;
}

/**
 * Reads what the authenticator has signed, or says about a new passkey; `null` if this was not done at this service, by a person whom
 * the authenticator has recognised. The signature is checked separately.
 */
export function checkedPasskey(signed: Signed, { type, isOwn }: Expected): CheckedPasskey | null {
  const client = clientDataOf(signed.client_data);
  if (client === null || client.type !== type || client.isInOther || !isOwn(client.origin)) return null;
  const rpId = rpIdOf(client.origin);
  const data = Buffer.from(signed.authenticator_data, 'base64url');
  if (rpId === null || data.length <= COUNT_AT + 3) return null;
  const flags = data.readUInt8(RP_ID_HASH_BYTES);
  const isOfHost = data.subarray(0, RP_ID_HASH_BYTES).equals(hash('sha256', rpId, 'buffer'));
  const isVerified = (flags & USER_PRESENT) !== 0 && (flags & USER_VERIFIED) !== 0;
  const isPossible = (flags & IS_BACKED_UP) === 0 || (flags & MAY_BE_BACKED_UP) !== 0;
  if (!isOfHost || !isVerified || !isPossible) return null;
  const credentialId = (flags & HAS_CREDENTIAL) === 0 ? null : credentialIdIn(data);
  return { challenge: client.challenge, rpId, signCount: data.readUInt32BE(COUNT_AT), credentialId };
}

function credentialIdIn(data: Buffer): string | null {
  if (data.length < CREDENTIAL_AT) return null;
  const end = CREDENTIAL_AT + data.readUInt16BE(CREDENTIAL_LENGTH_AT);
  return end > data.length ? null : data.subarray(CREDENTIAL_AT, end).toString('base64url');
}

/** The host name that a passkey belongs to: that of a service with a certificate, or this machine; `null` for other origins. */
function rpIdOf(origin: string): string | null {
  const { protocol, hostname } = new URL(origin);
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return hostname;
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  return protocol === 'https:' && !isAddress ? hostname : null;
}

interface ClientData {
  readonly type: unknown;
  readonly challenge: string;
  readonly origin: string;
  /** True when our page was shown inside a page of others. */
  readonly isInOther: boolean;
}

function clientDataOf(text: string): ClientData | null {
  try {
    const data: Readonly<Record<string, unknown>> = JSON.parse(Buffer.from(text, 'base64url').toString());
    const { type, challenge, origin, crossOrigin, topOrigin } = data;
    if (typeof challenge !== 'string' || typeof origin !== 'string' || !URL.canParse(origin)) return null;
    return { type, challenge, origin, isInOther: crossOrigin === true || topOrigin !== undefined };
  } catch {
    return null;
  }
}

/** `null` for a key of another kind, or a weak one. */
export function passkeyPublicKey(spki: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(spki, 'base64url'), format: 'der', type: 'spki' });
    const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key;
    const isKnown =
      kind === 'ed25519' ||
      (kind === 'ec' && details?.namedCurve === 'prime256v1') ||
      (kind === 'rsa' && (details?.modulusLength ?? 0) >= RSA_BITS_MIN);
    return isKnown ? key : null;
  } catch {
    return null;
  }
}

export function isSignedBy(spki: string, signed: Signed & { readonly signature: string }): boolean {
  const key = passkeyPublicKey(spki);
  if (key === null) return false;
  const clientHash = hash('sha256', Buffer.from(signed.client_data, 'base64url'), 'buffer');
  const data = Buffer.concat([Buffer.from(signed.authenticator_data, 'base64url'), clientHash]);
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return verify(algorithm, data, key, Buffer.from(signed.signature, 'base64url'));
}
