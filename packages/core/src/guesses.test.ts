import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { CODES_WRONG_MAX, type CodeTries, codeTry, pinTry } from './guesses.ts';

const HERE = { count: 0, lastAtMs: 0, elsewhere: 0, isKnown: false };

test('wrong PINs wait twice as long each time, and after five only the password counts', () => {
  const waits = [0, 1, 2, 3, 4].map((count) => pinTry({ ...HERE, count, lastAtMs: 1_000_000 }, 1_000_000));
  assert.deepEqual(
    waits,
    [0, 1_000, 2_000, 4_000, 8_000].map((waitMs) => ({ waitMs })),
  );
  assert.deepEqual(pinTry({ ...HERE, count: 4, lastAtMs: 0 }, 8_000), { waitMs: 0 });
  assert.deepEqual(
    pinTry({ ...HERE, count: 4, lastAtMs: 9_000_000 }, 0),
    { waitMs: 8_000 },
    'a clock that was set back',
  );
  assert.equal(pinTry({ ...HERE, count: 5, lastAtMs: 0 }, 9_000_000), 'password_required');
});

test('twenty wrong PINs at terminals that are not known count at each of these, and at no known one', () => {
  assert.deepEqual(pinTry({ ...HERE, elsewhere: 19 }, 0), { waitMs: 0 });
  assert.equal(pinTry({ ...HERE, elsewhere: 20 }, 0), 'password_required');
  assert.deepEqual(pinTry({ ...HERE, elsewhere: 20, isKnown: true }, 0), { waitMs: 0 });
  assert.equal(pinTry({ ...HERE, elsewhere: 0, count: 5, isKnown: true }, 0), 'password_required');
});

test('at most twenty codes of a day are looked at, whenever they come, also when the clock is set back', () => {
  const steps = fc.array(fc.integer({ min: -5 * MINUTE_MS, max: 4 * 60 * MINUTE_MS }), { maxLength: 400 });
  fc.assert(
    fc.property(steps, (passed) => {
      let nowMs = 100 * DAY_MS;
      let tries: CodeTries | undefined;
      const lookedAtMs: number[] = [];
      for (const ms of passed) {
        nowMs += ms;
        const result = codeTry(tries, nowMs);
        tries = result.tries;
        assert.ok(result.waitMs >= 0 && result.waitMs <= DAY_MS);
        if (result.waitMs === 0) lookedAtMs.push(nowMs);
      }
      // Two days touch each other at most.
      for (const fromMs of lookedAtMs) {
        const near = lookedAtMs.filter((ms) => Math.abs(ms - fromMs) < DAY_MS / 2);
        assert.ok(near.length <= 2 * CODES_WRONG_MAX);
      }
    }),
  );
});

test('a code that waits is told until when', () => {
  const full = { count: CODES_WRONG_MAX, sinceMs: 5 * DAY_MS };
  assert.equal(codeTry(full, 5 * DAY_MS + SECOND_MS).waitMs, DAY_MS - SECOND_MS);
  assert.equal(codeTry(full, 6 * DAY_MS).waitMs, 0);
});
