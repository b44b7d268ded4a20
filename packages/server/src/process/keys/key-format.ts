import { crc32 } from 'node:zlib';

export const KEY_PREFIX = 'gk_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 40;
const CHECKSUM_LENGTH = 6;

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
