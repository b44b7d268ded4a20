import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { UsedChallenge } from '@granary/app/session/used-once';
import { CHALLENGE_MS } from '@granary/core/session';

const PURPOSE = 'challenge for a passkey';
const END_BYTES = 6;
const NONCE_BYTES = 16;
const MAC_BYTES = 32;
const SIGNED_BYTES = END_BYTES + NONCE_BYTES;
const KEY_BYTES = 32;

export interface NewChallenge {
  readonly challenge: string;
  readonly expiresAtMs: number;
}

export const newChallengeKey = (): string => randomBytes(KEY_BYTES).toString('base64url');

const macOf = (signed: Buffer, key: string): Buffer =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(PURPOSE).update(signed).digest();

/**
 * Makes a challenge for a passkey to sign. It contains its end and the proof of its maker, so nothing is stored that many
 * requests could push out.
 */
export function newChallenge(key: string, nowMs: number): NewChallenge {
  const expiresAtMs = nowMs + CHALLENGE_MS;
  const signed = Buffer.concat([Buffer.alloc(END_BYTES), randomBytes(NONCE_BYTES)]);
  signed.writeUIntBE(expiresAtMs, 0, END_BYTES);
  return { challenge: Buffer.concat([signed, macOf(signed, key)]).toString('base64url'), expiresAtMs };
}

/** The form in which the use of a challenge is stored; `null` for a challenge that no node has made, or that has ended. */
export function usableChallenge(challenge: string, key: string, nowMs: number): UsedChallenge | null {
  const bytes = Buffer.from(challenge, 'base64url');
  if (bytes.length !== SIGNED_BYTES + MAC_BYTES) return null;
  const signed = bytes.subarray(0, SIGNED_BYTES);
  if (!timingSafeEqual(bytes.subarray(SIGNED_BYTES), macOf(signed, key))) return null;
  const expiresAtMs = signed.readUIntBE(0, END_BYTES);
  // The hash is that of the bytes, because several texts can stand for the same bytes.
  return nowMs < expiresAtMs ? { hash: hash('sha256', bytes, 'hex'), expiresAtMs } : null;
}

interface KeyStore {
  find(): Promise<string | undefined>;
  /** When several nodes keep a key at the same moment, the first one is kept. */
  keep(key: string): Promise<unknown>;
}

/** The key with which every node signs challenges. It never changes, so it is read once. */
export class ChallengeKey {
  #key: string | undefined;

  async get(store: KeyStore): Promise<string> {
    this.#key ??= await store.find();
    if (this.#key !== undefined) return this.#key;
    await store.keep(newChallengeKey());
    const kept = await store.find();
    if (kept === undefined) throw new Error('the key of challenges was not stored');
    this.#key = kept;
    return kept;
  }
}
