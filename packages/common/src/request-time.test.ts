import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  noteChange,
  outsideRequest,
  RequestTime,
  requestLeftMs,
  whileRequestLasts,
  withinRequest,
} from './request-time.ts';
import { LATE } from './within.ts';

const MINUTE_MS = 60_000;

describe('the time of a request', () => {
  it('is shared by everything that the request waits for, and by nothing else', async () => {
    assert.equal(requestLeftMs(), Number.POSITIVE_INFINITY);
    const left = async (): Promise<number> => {
      await nextTurn();
      return requestLeftMs();
    };
    const [long, none, outside] = await Promise.all([
      withinRequest(new RequestTime(MINUTE_MS), left),
      withinRequest(new RequestTime(-1), left),
      left(),
    ]);
    assert.ok(long > 0 && long <= MINUTE_MS, `${long} ms`);
    assert.deepEqual([none, outside], [0, Number.POSITIVE_INFINITY]);
  });

  it('does not limit what goes on after the answer, nor what is called outside the request', async () => {
    const time = new RequestTime(0);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const goingOn = withinRequest(time, async () => {
      assert.equal(outsideRequest(requestLeftMs), Number.POSITIVE_INFINITY);
      assert.equal(requestLeftMs(), 0);
      await answered;
      return requestLeftMs();
    });
    time.answered();
    answer();
    assert.equal(await goingOn, Number.POSITIVE_INFINITY);
  });

  it('ends the waiting for work that goes on', async () => {
    const { promise: work, resolve: finish } = Promise.withResolvers<string>();
    assert.equal(await withinRequest(new RequestTime(0), () => whileRequestLasts(work)), LATE);
    const waiting = withinRequest(new RequestTime(MINUTE_MS), () => whileRequestLasts(work));
    const other = whileRequestLasts(work);
    finish('done');
    assert.deepEqual(await Promise.all([waiting, other]), ['done', 'done']);
  });

  it('knows whether a write of the request is committed', async () => {
    const time = new RequestTime();
    withinRequest(time, () => outsideRequest(noteChange));
    noteChange();
    assert.equal(time.hasChanged, false);
    withinRequest(time, noteChange);
    assert.equal(time.hasChanged, true);
  });
});
