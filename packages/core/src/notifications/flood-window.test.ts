import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FloodWindow, placeInWindow } from './dispatch.ts';

const SUMMARY = { window_seconds: 60, at_once_max: 3 };
const WINDOW_MS = 60_000;
const PAUSES = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 200 });

interface Arrival {
  readonly deviceId: string;
  readonly nowMs: number;
}

/** The time at which each notice is told. */
function toldAt(arrivals: readonly Arrival[], summary = SUMMARY): number[] {
  let window: FloodWindow | null = null;
  return arrivals.map(({ deviceId, nowMs }) => {
    const placed = placeInWindow(window, { deviceId, summary, nowMs });
    window = placed.window;
    return placed.heldUntilMs ?? nowMs;
  });
}

/** Arrivals of notices, each from a device of its own. */
const ofMany = (times: readonly number[]): Arrival[] =>
  times.map((nowMs, index) => ({ deviceId: `silo-${index}`, nowMs }));

function timesAfter(pauses: readonly number[]): number[] {
  let nowMs = 0;
  return pauses.map((pause) => {
    nowMs += pause;
    return nowMs;
  });
}

const of = (deviceId: string, ...times: number[]): Arrival[] => times.map((nowMs) => ({ deviceId, nowMs }));

test('the first ones are told immediately, the others at the end of the window', () => {
  assert.deepEqual(toldAt(ofMany([0, 1, 2, 3, 4, 59_999])), [0, 1, 2, 60_000, 60_000, 60_000]);
});

test('a flood that goes on is one summary for each window, until a window was quiet', () => {
  assert.deepEqual(
    toldAt(ofMany([0, 1, 2, 3, 60_000, 90_000, 130_000, 200_000])),
    [0, 1, 2, 60_000, 120_000, 120_000, 180_000, 240_000],
  );
  assert.deepEqual(toldAt(ofMany([0, 1, 2, 3, 60_000, 185_000])), [0, 1, 2, 60_000, 120_000, 185_000]);
});

test('few notices are never held', () => {
  const arrivals = Array.from({ length: 50 }, (_, i) => i * 25_000);
  assert.deepEqual(toldAt(ofMany(arrivals)), arrivals);
});

const FIVE = { window_seconds: 60, at_once_max: 5 };

test('a device that chatters waits for the summary, and the others do not wait for it', () => {
  const arrivals = [
    ...of('chatters', 0, 5_000, 10_000, 15_000, 60_000, 90_000),
    ...of('another', 91_000),
    ...of('a third', 92_000),
    ...of('chatters', 125_000),
    ...of('another', 126_000),
    ...of('chatters', 250_000),
  ];
  assert.deepEqual(
    toldAt(arrivals, FIVE),
    [0, 5_000, 60_000, 60_000, 120_000, 120_000, 91_000, 92_000, 180_000, 126_000, 250_000],
  );
});

test('whatever one device tells, the first notice of another is told immediately', () => {
  fc.assert(
    fc.property(
      PAUSES,
      fc.integer({ min: 0, max: 200 }),
      fc.integer({ min: 2, max: 9 }),
      (pauses, place, max) => {
        const arrivals = of('chatters', ...timesAfter(pauses));
        const index = Math.min(place, arrivals.length);
        const atMs = arrivals[index - 1]?.nowMs ?? 0;
        arrivals.splice(index, 0, { deviceId: 'another', nowMs: atMs });
        assert.equal(toldAt(arrivals, { window_seconds: 60, at_once_max: max })[index], atMs);
      },
    ),
  );
});

test('a clock that was put back holds nothing for long', () => {
  const before = { isFull: true, told: ['a', 'b', 'c'], held: 9, chattering: ['a'], chatteredBefore: [] };
  const now = { deviceId: 'a', summary: SUMMARY, nowMs: 1_000 };
  const { window } = placeInWindow({ startMs: 5_000_000, ...before }, now);
  assert.equal(window.startMs, 1_000);
});

test('at_once_max 0 makes everything a summary', () => {
  const { heldUntilMs } = placeInWindow(null, {
    deviceId: 'a',
    summary: { window_seconds: 60, at_once_max: 0 },
    nowMs: 1_000,
  });
  assert.equal(heldUntilMs, 61_000);
});

test('whatever arrives, nothing waits longer than a window, and the messages of a window are few', () => {
  fc.assert(
    fc.property(PAUSES, fc.integer({ min: 1, max: 9 }), (pauses, devices) => {
      const arrivals = timesAfter(pauses);
      const times = toldAt(arrivals.map((nowMs, index) => ({ deviceId: `silo-${index % devices}`, nowMs })));
      times.forEach((time, i) => {
        const arrival = arrivals[i] ?? 0;
        assert.ok(time >= arrival && time - arrival <= WINDOW_MS);
        const messages = new Set(times.filter((other) => other >= time && other < time + WINDOW_MS));
        assert.ok(messages.size <= 2 * (SUMMARY.at_once_max + 1));
      });
    }),
  );
});
