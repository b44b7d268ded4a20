const DECIMALS = 7;
/** This resolution is about a centimetre. */
export const COORDINATE_RESOLUTION = 1e-7;

/**
 * Reproducible random numbers: the same seed and keys always give the same number, in any order and in any process. So the
 * history that is written today continues without a jump in the live readings.
 */
export const chance = (seed: string, ...keys: readonly number[]): number => share(hashOf(seed, keys));

/** A number between -1 and 1, mostly near 0. */
export function jitter(seed: string, ...keys: readonly number[]): number {
  const hash = hashOf(seed, keys);
  return share(withKey(hash, 1)) + share(withKey(hash, 2)) - 1;
}

/** A number between -1 and 1 that changes smoothly with `x` and turns at whole numbers only. */
export function wander(seed: string, x: number): number {
  const whole = Math.floor(x);
  const part = x - whole;
  const ease = part * part * (3 - 2 * part);
  return jitter(seed, whole) * (1 - ease) + jitter(seed, whole + 1) * ease;
}

function hashOf(seed: string, keys: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) hash = mix(hash ^ seed.charCodeAt(i));
  for (const key of keys) hash = withKey(hash, key);
  return hash;
}

const withKey = (hash: number, key: number): number =>
  mix(mix(hash ^ (key >>> 0)) ^ Math.floor(key / 2 ** 32));

const share = (hash: number): number => hash / 2 ** 32;

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** One telemetry reading. */
export interface Reading {
  readonly ts: number;
}

/** Rounds to the resolution of a sensor, so that digits such as 0.30000000000000004 are not sent and stored. */
export const round = (value: number, resolution: number): number =>
  Number((Math.round(value / resolution) * resolution).toFixed(DECIMALS));
