import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '@granary/contract/time';
import { type CommonFault, createReadingFault, linkIsLost } from './faults.ts';

const reading = (ts: number) => ({ ts, weight: 100 + ts, temperature: ts, humidity: ts });

/** The readings that are sent after each of six measurements. */
const sent = (...names: CommonFault[]) => {
  const fault = createReadingFault<ReturnType<typeof reading>>(new Set(names));
  return [1, 2, 3, 4, 5, 6, 7].map((ts) => fault(reading(ts)));
};
const times = (...names: CommonFault[]) => sent(...names).map((readings) => readings.map(({ ts }) => ts));

test('without faults every reading is sent once, at once', () => {
  assert.deepEqual(times(), [[1], [2], [3], [4], [5], [6], [7]]);
  assert.deepEqual(sent()[0], [reading(1)]);
});

test('duplicates sends everything twice', () => {
  assert.deepEqual(times('duplicates').slice(0, 2), [
    [1, 1],
    [2, 2],
  ]);
});

test('late holds readings back but keeps their order', () => {
  assert.deepEqual(times('late'), [[], [], [], [], [], [], [1]]);
});

test('out-of-order sends groups newest first', () => {
  assert.deepEqual(times('out-of-order'), [[], [], [3, 2, 1], [], [], [6, 5, 4], []]);
});

test('stuck keeps the values and moves the time', () => {
  assert.deepEqual(sent('stuck')[6], [{ ...reading(1), ts: 7 }]);
});

test('faults work together', () => {
  assert.deepEqual(sent('stuck', 'duplicates')[1], [
    { ...reading(1), ts: 2 },
    { ...reading(1), ts: 2 },
  ]);
});

test('the lost link comes back', () => {
  assert.deepEqual([0, 59_999, MINUTE_MS, 119_999, 2 * MINUTE_MS].map(linkIsLost), [
    false,
    false,
    true,
    true,
    false,
  ]);
});
