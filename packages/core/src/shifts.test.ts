import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, toIso } from '@granary/contract/time';
import { longestShiftMs, shiftStartMs } from './shifts.ts';

const THREE_SHIFTS = [6, 14, 22].map((hour) => hour * HOUR_MS);
const startOf = (now: string, zone = 'Europe/Berlin', starts = THREE_SHIFTS): string =>
  toIso(shiftStartMs(Date.parse(now), zone, starts)).slice(0, 16);

test('a shift begins at 06:00, 14:00 or 22:00 of the local day, also when the clocks are changed', () => {
  assert.equal(startOf('2026-11-15T05:00:00Z'), '2026-11-15T05:00');
  assert.equal(startOf('2026-11-15T04:59:59Z'), '2026-11-14T21:00');
  assert.equal(startOf('2026-11-15T12:59:00Z'), '2026-11-15T05:00');
  assert.equal(startOf('2026-11-15T13:00:00Z'), '2026-11-15T13:00');
  assert.equal(startOf('2026-11-15T22:30:00Z'), '2026-11-15T21:00');
  // On 29 March 2026 the clocks are put forward at 01:00 UTC.
  assert.equal(startOf('2026-03-29T03:00:00Z'), '2026-03-28T21:00');
  assert.equal(startOf('2026-03-29T04:00:00Z'), '2026-03-29T04:00');
  // It is 13:45 there.
  assert.equal(startOf('2026-11-15T00:00:00Z', 'Pacific/Chatham'), '2026-11-14T16:15');
});

test('the shift of a night in which the clocks change has an hour less or more', () => {
  // 25 October 2026 has 25 hours: the night shift begins at 22:00 summer time and ends at 06:00 winter time.
  assert.equal(startOf('2026-10-25T04:59:00Z'), '2026-10-24T20:00');
  assert.equal(startOf('2026-10-25T05:00:00Z'), '2026-10-25T05:00');
  assert.equal(startOf('2026-11-01T10:59:00Z', 'America/Chicago'), '2026-11-01T03:00');
  assert.equal(startOf('2026-11-01T11:59:00Z', 'America/Chicago'), '2026-11-01T03:00');
  assert.equal(startOf('2026-11-01T12:00:00Z', 'America/Chicago'), '2026-11-01T12:00');
});

test('shifts begin when the site says', () => {
  assert.equal(startOf('2026-11-15T05:00:00Z', 'Europe/Berlin', [7.5 * HOUR_MS]), '2026-11-14T06:30');
  assert.equal(startOf('2026-11-15T06:30:00Z', 'Europe/Berlin', [7.5 * HOUR_MS]), '2026-11-15T06:30');
  // 02:30 does not exist on 29 March 2026: the shift begins when the clocks are put forward.
  assert.equal(startOf('2026-03-29T01:10:00Z', 'Europe/Berlin', [2.5 * HOUR_MS]), '2026-03-29T01:00');
  assert.equal(startOf('2026-10-25T01:45:00Z', 'Europe/Berlin', [2.5 * HOUR_MS]), '2026-10-25T00:30');
});

test('the longest shift of a day counts, also over midnight', () => {
  const hours = (...starts: number[]) => longestShiftMs(starts.map((hour) => hour * HOUR_MS)) / HOUR_MS;
  assert.equal(hours(6, 14, 22), 8);
  assert.equal(hours(6, 18), 12);
  assert.equal(hours(5, 13), 16);
  assert.equal(hours(7), 24);
});
