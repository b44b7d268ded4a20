import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 9;
const RANDOM_DIGITS = 13;

/** Returns an opaque id that sorts by time: nine digits of milliseconds, then random digits. */
export function newId(prefix: string, nowMs: number): string {
  let time = '';
  for (let rest = nowMs, i = 0; i < TIME_DIGITS; i++, rest = Math.floor(rest / 32)) {
    time = ALPHABET[rest % 32] + time;
  }
  let chance = '';
  for (const byte of randomBytes(RANDOM_DIGITS)) chance += ALPHABET[byte % 32];
  return `${prefix}_${time}${chance}`;
}
