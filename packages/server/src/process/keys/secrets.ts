import {
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto';
import { crc32 } from 'node:zlib';

export const KEY_PREFIX = 'gk_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SECRET_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const SECRET_LENGTH = 32;
const SESSION_BYTES = 32;
const CODE_BYTES = 24;
const INVITE_PREFIX = 'gi_';
const SESSION_SECRET = /^gs_[\w-]{43}$/;
/** No key contains a space, so none is mistaken for a session. */
const SESSION_MARK = 'session ';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'granary sealed secret';

/** `pick(n)` returns a uniform random integer below n; the checksum distinguishes a mistyped key from an unknown one. */
export function makeKey(pick: (below: number) => number): string {
  const body = Array.from({ length: BODY_LENGTH }, () => ALPHABET[pick(ALPHABET.length)]).join('');
  return KEY_PREFIX + body + checksum(body);
}

export function isWellFormedKey(text: string): boolean {
  const body = text.slice(KEY_PREFIX.length, KEY_PREFIX.length + BODY_LENGTH);
  return text === KEY_PREFIX + body + checksum(body) && body.length === BODY_LENGTH;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** Keys and device secrets are long random texts, so a single SHA-256 is a safe stored form. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

export const newKey = (): string => makeKey(randomInt);

/** The secret has no characters that look alike, because a person may have to type it into a device. */
export const newDeviceSecret = (): string =>
  Array.from({ length: SECRET_LENGTH }, () => SECRET_ALPHABET[randomInt(SECRET_ALPHABET.length)]).join('');

export function matchesHash(secret: string, storedHash: string): boolean {
  const given = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(storedHash);
  return given.length === stored.length && timingSafeEqual(given, stored);
}

/** The value of the session cookie. */
export const newSessionSecret = (): string => `gs_${randomBytes(SESSION_BYTES).toString('base64url')}`;

export const isSessionSecret = (text: string): boolean => SESSION_SECRET.test(text);

export const newSignInCode = (): string => `gc_${randomBytes(CODE_BYTES).toString('base64url')}`;

/** The code in the link of an invitation. It is worth nothing without the password that is chosen with it. */
export const newInviteCode = (): string => `${INVITE_PREFIX}${randomBytes(CODE_BYTES).toString('base64url')}`;

export const isInviteCode = (code: string): boolean => code.startsWith(INVITE_PREFIX);

export const newConfirmationId = (): string => `gf_${randomBytes(CODE_BYTES).toString('base64url')}`;

/** The text that identifies a caller: an API key, or the secret of a session after a mark. */
export type Credential = string;

export const sessionCredential = (secret: string): Credential => SESSION_MARK + secret;

export const isOfSession = (credential: Credential): boolean => credential.startsWith(SESSION_MARK);

/** `null` where the credential is a key. */
export const sessionSecretOf = (credential: Credential): string | null =>
  isOfSession(credential) ? credential.slice(SESSION_MARK.length) : null;

/** Each text has its own key, derived from the caller's API key, which is not stored; the database alone is not enough to decrypt it. */
const keyFor = (apiKey: string, salt: Buffer): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', apiKey, salt, PURPOSE, KEY_BYTES));

/** Encrypts a text so that only the holder of the API key can read it again. */
export function encryptSecret(text: string, apiKey: string): string {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyFor(apiKey, salt), nonce);
  const encryptedSecret = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), encryptedSecret]).toString('base64url');
}

/** `null` for a text that was encrypted for another key, or was changed. */
export function decryptSecret(encryptedSecret: string, apiKey: string): string | null {
  const bytes = Buffer.from(encryptedSecret, 'base64url');
  const nonceEnd = SALT_BYTES + NONCE_BYTES;
  const tagEnd = nonceEnd + TAG_BYTES;
  if (bytes.length < tagEnd) return null;
  const key = keyFor(apiKey, bytes.subarray(0, SALT_BYTES));
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(SALT_BYTES, nonceEnd));
  decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd));
  const text = decipher.update(bytes.subarray(tagEnd), undefined, 'utf8');
  try {
    return text + decipher.final('utf8');
  } catch {
    return null;
  }
}
