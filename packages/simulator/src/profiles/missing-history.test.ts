import assert from 'node:assert/strict';
import { test } from 'node:test';
import { READINGS_PER_MESSAGE_MAX } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import fc from 'fast-check';
import { readingAt } from '../silo/scale.ts';
import { SILOS, type Silo } from '../silo/silos.ts';
import { backfillMessages, missingSpan } from './missing-history.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 9, 41, 7);
const PAST = { fromMs: NOW_MS - 30 * DAY_MS, toMs: NOW_MS };
const TODAY_MS = Date.UTC(2026, 10, 15);
const SPACING_MS = 5 * MINUTE_MS;

const pastOf = (silo: Silo) => ({
  spacingMs: 5 * MINUTE_MS,
  readingAt: (timeMs: number) => readingAt(silo, timeMs),
});

const dayPoints = (...daysAgo: number[]) =>
  daysAgo.map((days) => ({ timestamp: toIso(TODAY_MS - days * DAY_MS), value: 50 }));

test('for a device without points the whole history is missing', () => {
  assert.deepEqual(missingSpan(PAST, [], SPACING_MS), PAST);
});

test('live readings of today do not count as written history', () => {
  assert.deepEqual(missingSpan(PAST, dayPoints(0), SPACING_MS), PAST);
});

test('live readings of today do not count either when the history begins today', () => {
  const today = { fromMs: TODAY_MS + MINUTE_MS, toMs: NOW_MS };
  assert.deepEqual(missingSpan(today, dayPoints(0), SPACING_MS), today);
});

test('an interrupted backfill continues where it stopped', () => {
  const missing = missingSpan(PAST, dayPoints(12, 11, 10, 0), SPACING_MS);
  assert.deepEqual(missing, { fromMs: PAST.fromMs, toMs: TODAY_MS - 11 * DAY_MS });
});

test('a complete backfill is not written again, whatever gaps came later', () => {
  assert.equal(missingSpan(PAST, dayPoints(30, 3), SPACING_MS), undefined);
});

test('a backfill that is complete is so at every time of the day', () => {
  const spacingMs = 30 * MINUTE_MS;
  const source = { spacingMs, readingAt: (ts: number) => ({ ts }) };
  for (let fromMs = PAST.fromMs; fromMs < PAST.fromMs + DAY_MS; fromMs += MINUTE_MS) {
    const span = { fromMs, toMs: fromMs + 30 * DAY_MS };
    const times = [...backfillMessages(source, span)].flatMap((message) => message.map(({ ts }) => ts));
    const days = new Set(times.map((ts) => toIso(Math.floor(ts / DAY_MS) * DAY_MS)));
    const points = [...days].sort().map((timestamp) => ({ timestamp, value: 1 }));
    assert.equal(missingSpan(span, points, spacingMs), undefined, toIso(fromMs));
    assert.notEqual(missingSpan(span, points.slice(1), spacingMs), undefined, toIso(fromMs));
  }
});

test('messages fit, cover every five minutes once, newest message first, and contain the values of the scale', () => {
  const [silo] = SILOS;
  assert.ok(silo);
  const anySpan = fc.record({
    toMs: fc.integer({ min: NOW_MS, max: NOW_MS + DAY_MS }),
    lengthMs: fc.nat(31 * DAY_MS),
  });
  fc.assert(
    fc.property(anySpan, ({ toMs, lengthMs }) => {
      const fromMs = toMs - lengthMs;
      const messages = [...backfillMessages(pastOf(silo), { fromMs, toMs })];
      for (const message of messages) assert.ok(message.length <= READINGS_PER_MESSAGE_MAX);
      const times = messages.toReversed().flatMap((message) => message.map(({ ts }) => ts));
      const first = Math.ceil(fromMs / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
      const expected: number[] = [];
      for (let ts = first; ts < toMs; ts += 5 * MINUTE_MS) expected.push(ts);
      assert.deepEqual(times, expected);
      for (const reading of messages.at(-1) ?? []) assert.deepEqual(reading, readingAt(silo, reading.ts));
    }),
    { numRuns: 20 },
  );
});

test('a day is never split over two messages, so that a day with points is a whole day', () => {
  const [silo] = SILOS;
  assert.ok(silo);
  const daysOf = [...backfillMessages(pastOf(silo), PAST)].map(
    (message) => new Set(message.map(({ ts }) => Math.floor(ts / DAY_MS))),
  );
  const days = daysOf.flatMap((set) => [...set]);
  assert.equal(new Set(days).size, days.length);
});
