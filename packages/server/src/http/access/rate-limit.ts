import { Refusal } from '@granary/contract/errors';
import type { FastifyReply } from 'fastify';

export const RATE_LIMIT_HEADERS = ['ratelimit-policy', 'ratelimit'] as const;

const BURST_SECONDS = 2;
const BUCKETS_MAX = 10_000;

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** A token bucket for each key: `perSecond` tokens are added per second, and two seconds' worth fit. */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #policy: string;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#burst = Math.max(1, perSecond * BURST_SECONDS);
    this.#policy = `"key";q=${Math.floor(this.#burst)};w=${BURST_SECONDS}`;
    this.#now = now;
  }

  /** Takes one token or refuses; in both cases the answer shows the remaining tokens. */
  take(keyId: string, reply: FastifyReply): void {
    const bucket = this.#refilled(keyId);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    const untilFullS = Math.ceil((this.#burst - bucket.tokens) / this.#perSecond);
    reply.header('ratelimit-policy', this.#policy);
    reply.header('ratelimit', `"key";r=${Math.floor(bucket.tokens)};t=${untilFullS}`);
    if (allowed) return;
    reply.header('retry-after', Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond)));
    throw new Refusal('rate_limited', `this key may send ${this.#perSecond} requests per second`);
  }

  #refilled(keyId: string): Bucket {
    const nowMs = this.#now();
    let bucket = this.#buckets.get(keyId);
    if (bucket === undefined) {
      if (this.#buckets.size >= BUCKETS_MAX) this.#buckets.clear();
      bucket = { tokens: this.#burst, filledAtMs: nowMs };
      this.#buckets.set(keyId, bucket);
    }
    const elapsedS = Math.max(0, nowMs - bucket.filledAtMs) / 1_000;
    bucket.tokens = Math.min(this.#burst, bucket.tokens + elapsedS * this.#perSecond);
    bucket.filledAtMs = nowMs;
    return bucket;
  }
}
