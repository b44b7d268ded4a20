import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leftMsOf, RequestTime, whileRequestLasts } from './request-time.ts';
import { LATE } from './within.ts';

const MINUTE_MS = 60_000;

describe('the time of a request', () => {
  it('is left until it is over, and does not limit other work', () => {
    const left = leftMsOf(new RequestTime(MINUTE_MS));
    assert.ok(left > 0 && left <= MINUTE_MS, `${left} ms`);
    assert.deepEqual([leftMsOf(new RequestTime(-1)), leftMsOf(null)], [0, Number.POSITIVE_INFINITY]);
  });

  it('does not limit what goes on after the answer', () => {
    const time = new RequestTime(0);
    time.answered();
    assert.deepEqual([leftMsOf(time), time.leftToAnswerMs], [Number.POSITIVE_INFINITY, 0]);
  });

  it('ends the waiting for work that goes on', async () => {
    const { promise: work, resolve: finish } = Promise.withResolvers<string>();
    assert.equal(await whileRequestLasts(new RequestTime(0), work), LATE);
    const waiting = whileRequestLasts(new RequestTime(MINUTE_MS), work);
    const other = whileRequestLasts(null, work);
    finish('done');
    assert.deepEqual(await Promise.all([waiting, other]), ['done', 'done']);
  });
});
