import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClockEstimates, offsetOf, withSample } from './nodes.ts';

const AHEAD_MS = 1_000_000;

/** A question that took `towardsMs` to the database, and its answer after `roundTripMs`. */
const sample = (askedAtMs: number, roundTripMs: number, towardsMs: number, aheadMs = AHEAD_MS) => ({
  askedAtMs,
  answeredAtMs: askedAtMs + roundTripMs,
  databaseMs: askedAtMs + towardsMs + aheadMs,
});

const offsetAfter = (...samples: ReturnType<typeof sample>[]): number | null =>
  offsetOf(samples.reduce<ClockEstimates>(withSample, []));

describe('the offset to the clock of the database', () => {
  it('is not known before the first answer, and then wrong by at most half of the round trip', () => {
    assert.equal(offsetOf([]), null);
    assert.equal(offsetAfter(sample(0, 100, 50)), AHEAD_MS);
    assert.equal(offsetAfter(sample(0, 100, 100)), AHEAD_MS + 50);
    assert.equal(offsetAfter(sample(0, 100, 0)), AHEAD_MS - 50);
  });

  it('is that of the quickest of the last answers', () => {
    assert.equal(offsetAfter(sample(0, 2, 1), sample(1_000, 3_000, 2_900)), AHEAD_MS);
    assert.equal(offsetAfter(sample(0, 3_000, 2_900), sample(4_000, 2, 1)), AHEAD_MS);
  });

  it('follows a clock that drifts', () => {
    const samples = Array.from({ length: 40 }, (_, second) =>
      sample(second * 1_000, 2, 1, AHEAD_MS + second * 0.2),
    );
    assert(Math.abs((offsetAfter(...samples) ?? 0) - (AHEAD_MS + 39 * 0.2)) < 3);
  });

  it('is another one at once when the clock was set', () => {
    assert.equal(offsetAfter(sample(0, 2, 1), sample(1_000, 20, 10, AHEAD_MS + 60_000)), AHEAD_MS + 60_000);
    assert.equal(offsetAfter(sample(0, 2, 1), sample(1_000, 20, 10, AHEAD_MS - 60_000)), AHEAD_MS - 60_000);
  });
});
