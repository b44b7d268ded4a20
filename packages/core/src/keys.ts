import type { Scope } from '@granary/contract/keys';

export const KEY_PREFIX = 'gk_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;
export const KEY_BODY_LENGTH = 40;
/** A key that somebody chose must be long enough not to be guessed. */
export const PRESET_KEY_LENGTH_MIN = 32;

/** What a key may do, and where. `null` means no limit. */
export interface Access {
  readonly scopes: readonly Scope[];
  readonly facilities: readonly string[] | null;
  readonly deviceIds: readonly string[] | null;
}

export interface Place {
  readonly deviceId: string;
  readonly facility: string;
}

export const canAccess = (access: Access, place: Place): boolean =>
  (access.facilities === null || access.facilities.includes(place.facility)) &&
  (access.deviceIds === null || access.deviceIds.includes(place.deviceId));

export const isUnlimited = (access: Access): boolean =>
  access.facilities === null && access.deviceIds === null;

interface Lifetime {
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export const isValidAt = ({ expiresAtMs, revokedAtMs }: Lifetime, nowMs: number): boolean =>
  (expiresAtMs === null || nowMs < expiresAtMs) && (revokedAtMs === null || nowMs < revokedAtMs);

/** `pick(n)` returns a uniform random integer below n. The checksum lets a typo be told from a stranger. */
export function makeKey(pick: (below: number) => number): string {
  const body = Array.from({ length: KEY_BODY_LENGTH }, () => ALPHABET[pick(ALPHABET.length)]).join('');
  return KEY_PREFIX + body + checksum(body);
}

export function isWellFormedKey(text: string): boolean {
  const body = text.slice(KEY_PREFIX.length, KEY_PREFIX.length + KEY_BODY_LENGTH);
  return text === KEY_PREFIX + body + checksum(body) && body.length === KEY_BODY_LENGTH;
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

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
