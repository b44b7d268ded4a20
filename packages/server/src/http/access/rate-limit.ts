import { BoundedMap } from '@granary/common/bounded-map';
import { Refusal } from '@granary/contract/errors';
import type { FastifyReply } from 'fastify';

export const RATE_LIMIT_HEADERS = ['ratelimit-policy', 'ratelimit'] as const;

const BURST_SECONDS = 2;
const BUCKETS_MAX = 10_000;

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

interface Limit {
  /** The limit for all nodes together. */
  readonly perSecond: number;
  readonly now: () => number;
  readonly liveNodes: () => number;
}

/**
 * A token bucket for each key: `perSecond` tokens are added per second, and two seconds' worth fit. Each live node has an equal share,
 * because asking the database for every request would cost more than the request.
 */
export class RateLimiter {
  readonly #limit: Limit;
  readonly #buckets = new BoundedMap<string, Bucket>(BUCKETS_MAX);

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  get #perSecond(): number {
    return this.#limit.perSecond / Math.max(1, this.#limit.liveNodes());
  }

  get #burst(): number {
    return Math.max(1, this.#perSecond * BURST_SECONDS);
  }

  /** Takes one token or refuses; in both cases the answer shows the remaining tokens. */
  take(keyId: string, reply: FastifyReply): void {
    const bucket = this.#refilled(keyId);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    const untilFullS = Math.ceil((this.#burst - bucket.tokens) / this.#perSecond);
    reply.header('ratelimit-policy', `"key";q=${Math.floor(this.#burst)};w=${BURST_SECONDS}`);
    reply.header('ratelimit', `"key";r=${Math.floor(bucket.tokens)};t=${untilFullS}`);
    if (allowed) return;
    reply.header('retry-after', Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond)));
    throw new Refusal('rate_limited', this.#explanation);
  }

  get #explanation(): string {
    const nodes = this.#limit.liveNodes();
    const shared = nodes > 1 ? `, shared by ${nodes} nodes` : '';
    return `this key may send ${this.#limit.perSecond} requests per second${shared}`;
  }

  #refilled(keyId: string): Bucket {
    const nowMs = this.#limit.now();
    const bucket = this.#buckets.get(keyId) ?? { tokens: this.#burst, filledAtMs: nowMs };
    this.#buckets.set(keyId, bucket);
    const elapsedS = Math.max(0, nowMs - bucket.filledAtMs) / 1_000;
    bucket.tokens = Math.min(this.#burst, bucket.tokens + elapsedS * this.#perSecond);
    bucket.filledAtMs = nowMs;
    return bucket;
  }
}
