import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FloodWindow, placeInWindow } from './dispatch.ts';

const SUMMARY = { window_seconds: 60, at_once_max: 3 };
const WINDOW_MS = 60_000;

/** When each of the notices is told. */
function toldAt(arrivals: readonly number[]): number[] {
  let window: FloodWindow | null = null;
  return arrivals.map((nowMs) => {
    const placed = placeInWindow(window, SUMMARY, nowMs);
    window = placed.window;
    return placed.heldUntilMs ?? nowMs;
  });
}

test('the first ones are told immediately, the others at the end of the window', () => {
  assert.deepEqual(toldAt([0, 1, 2, 3, 4, 59_999]), [0, 1, 2, 60_000, 60_000, 60_000]);
});

test('a flood that goes on is one summary for each window, until a window was quiet', () => {
  assert.deepEqual(
    toldAt([0, 1, 2, 3, 60_000, 90_000, 130_000, 200_000]),
    [0, 1, 2, 60_000, 120_000, 120_000, 180_000, 240_000],
  );
  assert.deepEqual(toldAt([0, 1, 2, 3, 60_000, 185_000]), [0, 1, 2, 60_000, 120_000, 185_000]);
});

test('few notices are never held', () => {
  const arrivals = Array.from({ length: 50 }, (_, i) => i * 25_000);
  assert.deepEqual(toldAt(arrivals), arrivals);
});

test('a clock that was put back holds nothing for long', () => {
  const { window } = placeInWindow({ startMs: 5_000_000, atOnce: 3, held: 9 }, SUMMARY, 1_000);
  assert.equal(window.startMs, 1_000);
});

test('at_once_max 0 makes everything a summary', () => {
  const { heldUntilMs } = placeInWindow(null, { window_seconds: 60, at_once_max: 0 }, 1_000);
  assert.equal(heldUntilMs, 61_000);
});

test('whatever arrives, nothing waits longer than a window, and the messages of a window are few', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 200 }), (pauses) => {
      let nowMs = 0;
      const arrivals = pauses.map((pause) => (nowMs += pause));
      const times = toldAt(arrivals);
      times.forEach((time, i) => {
        const arrival = arrivals[i] ?? 0;
        assert.ok(time >= arrival && time - arrival <= WINDOW_MS);
        const messages = new Set(times.filter((other) => other >= time && other < time + WINDOW_MS));
        assert.ok(messages.size <= 2 * (SUMMARY.at_once_max + 1));
      });
    }),
  );
});
