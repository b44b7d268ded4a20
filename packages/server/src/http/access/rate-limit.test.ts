import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRefusal } from '@granary/testing/app/fixtures';
import type { FastifyReply } from 'fastify';
import { RateLimiter } from './rate-limit.ts';

/** Takes tokens until one is refused; returns how many were taken, and the last headers. */
function takeAll(limiter: RateLimiter, keyId: string) {
  const headers = new Map<string, string | number>();
  const header = (name: string, value: string | number) => headers.set(name, value);
  const reply = { header } as unknown as FastifyReply;
  for (let taken = 0; ; taken++) {
    try {
      limiter.take(keyId, reply);
    } catch (error) {
      assert(isRefusal('rate_limited')(error));
      return { taken, headers, message: error instanceof Error ? error.message : '' };
    }
  }
}

describe('the limit of requests per key', () => {
  it('is divided by the nodes that live, and follows their number', () => {
    let nowMs = 0;
    let nodes = 1;
    const limiter = new RateLimiter({ perSecond: 90, now: () => nowMs, liveNodes: () => nodes });
    const alone = takeAll(limiter, 'a');
    assert.deepEqual([alone.taken, alone.headers.get('ratelimit-policy')], [180, '"key";q=180;w=2']);
    assert.equal(alone.message, 'this key may send 90 requests per second');
    nodes = 3;
    nowMs += 1_000;
    const shared = takeAll(limiter, 'a');
    assert.deepEqual([shared.taken, shared.headers.get('ratelimit-policy')], [30, '"key";q=60;w=2']);
    assert.match(shared.message, /90 requests per second, shared by 3 nodes/);
    nowMs += 60_000;
    assert.equal(takeAll(limiter, 'a').taken, 60);
    nodes = 1;
    nowMs += 60_000;
    assert.equal(takeAll(limiter, 'a').taken, 180);
  });

  it('leaves at least one request', () => {
    const limiter = new RateLimiter({ perSecond: 1, now: () => 0, liveNodes: () => 10 });
    assert.equal(takeAll(limiter, 'a').taken, 1);
  });

  it('holds a key that goes on asking, however many others ask', () => {
    const limiter = new RateLimiter({ perSecond: 1, now: () => 0, liveNodes: () => 1 });
    takeAll(limiter, 'a');
    for (let other = 0; other < 20_000; other++) {
      takeAll(limiter, `other ${other}`);
      if (other % 5_000 === 0) assert.equal(takeAll(limiter, 'a').taken, 0);
    }
  });
});
