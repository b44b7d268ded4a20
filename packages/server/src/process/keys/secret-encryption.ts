import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'granary sealed secret';

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
