import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { TEST_MESSAGE } from '@granary/contract/webhooks';
import fc from 'fast-check';
import {
  type AttemptOutcome,
  afterAttempt,
  FAILING_MS_MAX,
  isDeadReported,
  JITTER,
  RETRY_AFTER_MS_MAX,
  RETRY_SCHEDULE,
  webhookAfterAttempt,
} from './attempts.ts';

const NOW_MS = Date.UTC(2026, 5, 15, 12);
const MIDDLE = { nowMs: NOW_MS, random: 0.5, schedule: RETRY_SCHEDULE };
const EVENT = { type: 'alert.raised', attempts: 0 };

const answered = (status: number, retryAfterMs: number | null = null): AttemptOutcome => ({
  kind: 'answered',
  status,
  retryAfterMs,
});
const TIMED_OUT: AttemptOutcome = { kind: 'failed', error: 'no answer within 15 s' };

describe('a delivery after an attempt', () => {
  it('is delivered by every status from 200 to 299, and by no other', () => {
    for (const status of [200, 204, 299]) {
      assert.equal(afterAttempt(EVENT, answered(status), MIDDLE).status, 'delivered');
    }
    for (const status of [199, 300, 302, 400, 410, 500]) {
      assert.equal(afterAttempt(EVENT, answered(status), MIDDLE).status, 'pending');
    }
  });

  it('is tried again for three days and is dead after the last attempt', () => {
    let delivery = EVENT;
    let atMs = NOW_MS;
    for (const delayMs of RETRY_SCHEDULE.delaysMs) {
      const after = afterAttempt(delivery, TIMED_OUT, { ...MIDDLE, nowMs: atMs });
      assert.equal(after.nextAttemptAtMs, atMs + delayMs);
      atMs += delayMs;
      delivery = { ...delivery, attempts: after.attempts };
    }
    const { status, attempts, nextAttemptAtMs, lastError } = afterAttempt(delivery, TIMED_OUT, MIDDLE);
    assert.deepEqual([status, attempts, nextAttemptAtMs], ['dead', 10, null]);
    assert.equal(lastError, 'no answer within 15 s');
    const lastedMs = atMs - NOW_MS;
    assert.ok(lastedMs > 2.9 * DAY_MS && lastedMs <= 3 * DAY_MS);
  });

  it('says that a redirect is not followed', () => {
    const { lastError, lastStatus } = afterAttempt(EVENT, answered(302), MIDDLE);
    assert.equal(lastStatus, 302);
    assert.match(lastError ?? '', /302.*not followed/);
  });

  it('waits as long as the receiver asks, within a limit', () => {
    const wait = (ms: number) =>
      (afterAttempt(EVENT, answered(429, ms), MIDDLE).nextAttemptAtMs ?? 0) - NOW_MS;
    assert.equal(wait(60 * SECOND_MS), 60 * SECOND_MS);
    assert.equal(wait(SECOND_MS), 5 * SECOND_MS);
    assert.equal(wait(DAY_MS), RETRY_AFTER_MS_MAX);
  });

  it('is dead at once if it is a test, or if there is nothing to send', () => {
    const test = { type: TEST_MESSAGE, attempts: 0 };
    assert.equal(afterAttempt(test, answered(500), MIDDLE).status, 'dead');
    const { status, attempts } = afterAttempt(EVENT, { kind: 'not_sent', error: 'gone' }, MIDDLE);
    assert.deepEqual([status, attempts], ['dead', 0]);
  });

  it('has its next attempt within the jitter of the schedule, whatever the chance', () => {
    const delays = RETRY_SCHEDULE.delaysMs;
    fc.assert(
      fc.property(
        fc.nat({ max: delays.length - 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, random) => {
          const after = afterAttempt({ ...EVENT, attempts }, answered(500), { ...MIDDLE, random });
          const waitMs = (after.nextAttemptAtMs ?? 0) - NOW_MS;
          const delayMs = delays[attempts] ?? 0;
          return Math.abs(waitMs - delayMs) <= (delayMs * JITTER) / 2 + 1;
        },
      ),
    );
  });
});

describe('a webhook after an attempt', () => {
  const since = (failingSinceMs: number | null) => ({ failingSinceMs });

  it('fails from its first failure to its next success', () => {
    const failed = webhookAfterAttempt(since(null), EVENT, answered(500), NOW_MS);
    assert.deepEqual(failed, { failingSinceMs: NOW_MS, disabledReason: null });
    const again = webhookAfterAttempt(failed, EVENT, TIMED_OUT, NOW_MS + HOUR_MS);
    assert.equal(again.failingSinceMs, NOW_MS);
    assert.equal(webhookAfterAttempt(again, EVENT, answered(204), NOW_MS).failingSinceMs, null);
  });

  it('is disabled by 410, and by three days without a success', () => {
    assert.match(webhookAfterAttempt(since(null), EVENT, answered(410), NOW_MS).disabledReason ?? '', /410/);
    const early = webhookAfterAttempt(since(NOW_MS), EVENT, TIMED_OUT, NOW_MS + FAILING_MS_MAX - 1);
    assert.equal(early.disabledReason, null);
    const late = webhookAfterAttempt(since(NOW_MS), EVENT, TIMED_OUT, NOW_MS + FAILING_MS_MAX);
    assert.match(late.disabledReason ?? '', /three days/);
  });

  it('is not changed by a test that fails, nor by a message that was not sent', () => {
    const test = { type: TEST_MESSAGE, attempts: 0 };
    const unchanged = { failingSinceMs: null, disabledReason: null };
    assert.deepEqual(webhookAfterAttempt(since(null), test, answered(410), NOW_MS), unchanged);
    const notSent: AttemptOutcome = { kind: 'not_sent', error: 'gone' };
    assert.deepEqual(webhookAfterAttempt(since(null), EVENT, notSent, NOW_MS), unchanged);
  });

  it('reports dead deliveries once an hour, but no tests', () => {
    const isReported = (reportedAtMs: number | null, nowMs: number, type = 'alert.raised') =>
      isDeadReported({ type }, { status: 'dead' }, { reportedAtMs, nowMs });
    assert.equal(isReported(null, NOW_MS), true);
    assert.equal(isReported(NOW_MS, NOW_MS + HOUR_MS - 1), false);
    assert.equal(isReported(NOW_MS, NOW_MS + HOUR_MS), true);
    assert.equal(isReported(null, NOW_MS, TEST_MESSAGE), false);
    assert.equal(isDeadReported(EVENT, { status: 'pending' }, { reportedAtMs: null, nowMs: NOW_MS }), false);
  });
});
