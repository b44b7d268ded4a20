import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { makeKey } from './key-format.ts';

/** Keys and device secrets are long random texts, so a single SHA-256 is a safe stored form. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

export const newKey = (): string => makeKey(randomInt);

const SECRET_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const SECRET_LENGTH = 32;

/** Without characters that look alike, because a person may have to type the secret into a device. */
export const newDeviceSecret = (): string =>
  Array.from({ length: SECRET_LENGTH }, () => SECRET_ALPHABET[randomInt(SECRET_ALPHABET.length)]).join('');

export function matchesHash(secret: string, storedHash: string): boolean {
  const given = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(storedHash);
  return given.length === stored.length && timingSafeEqual(given, stored);
}
