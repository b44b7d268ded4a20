import { createHmac, randomInt } from 'node:crypto';
import { SECOND_MS } from '@granary/contract/time';
import type { StoredSecondFactor, UsedFactor } from '@granary/core/people';
import { hashSecret } from './secrets.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30 * SECOND_MS;
const DIGITS = 6;
/** The clock of a phone may be half a minute off, and a person may type slowly. */
const STEPS_OFF_MAX = 1;
const RECOVERY_CODES = 8;
const RECOVERY_GROUPS = 4;
const RECOVERY_GROUP_CHARS = 4;

/** The code of RFC 6238 with SHA-1 and six digits, which is what authenticator apps know. */
export function totp(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const value = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(value % 10 ** digits).padStart(digits, '0');
}

export function fromBase32(text: string): Buffer {
  let bits = 0n;
  for (const char of text) bits = (bits << 5n) | BigInt(BASE32.indexOf(char));
  const bytes = Math.floor((text.length * 5) / 8);
  return Buffer.from(
    (bits >> BigInt(text.length * 5 - bytes * 8)).toString(16).padStart(bytes * 2, '0'),
    'hex',
  );
}

const typedCode = (code: string): string => code.replace(/[\s-]/g, '');

/** Six digits can be guessed, the 80 random bits of a recovery code cannot. */
export const isGuessable = (code: string): boolean => /^\d{6}$/.test(typedCode(code));

/** `null` if the code is wrong or was used before. */
export function usedFactor(
  code: string,
  stored: StoredSecondFactor,
  nowMs: number,
  countedAt: string,
): UsedFactor | null {
  const typed = typedCode(code);
  if (isGuessable(typed)) {
    const step = usedStep(typed, stored, nowMs);
    return step === null ? null : { step, countedAt };
  }
  const recoveryHash = recoveryHashOf(typed);
  return stored.recoveryHashes.includes(recoveryHash) ? { recoveryHash } : null;
}

function usedStep(
  code: string,
  { secret, lastStep }: Pick<StoredSecondFactor, 'secret' | 'lastStep'>,
  nowMs: number,
): number | null {
  const key = fromBase32(secret);
  const now = Math.floor(nowMs / STEP_MS);
  for (let step = now - STEPS_OFF_MAX; step <= now + STEPS_OFF_MAX; step++) {
    if (step > lastStep && totp(key, step) === code) return step;
  }
  return null;
}

/** The step of a first code, which shows that the person has stored the secret; `null` if it is wrong. */
export const firstStep = (secret: string, code: string, nowMs: number): number | null =>
  usedStep(code.replace(/\s/g, ''), { secret, lastStep: 0 }, nowMs);

/** Each recovery code works once. The codes are long and random, so one SHA-256 is a safe stored form. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: RECOVERY_GROUPS }, () =>
      Array.from({ length: RECOVERY_GROUP_CHARS }, () => BASE32[randomInt(BASE32.length)]).join(''),
    ).join('-'),
  );

export const recoveryHashOf = (code: string): string =>
  hashSecret(`recovery ${code.replace(/[\s-]/g, '').toUpperCase()}`);
