import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areOtherClocks, dayAs, numericTime, placeOfZone, timeAhead, timeAs } from './time-text.ts';

const BERLIN = 'Europe/Berlin';
const HALF_DAYS = { morning: 'morning', afternoon: 'afternoon' };
const at = (text: string): number => Date.parse(text);

test('a time is that of the zone, on both sides of a change of its clocks', () => {
  const shown = (text: string): string => timeAs('clock', at(text), 'de', BERLIN);
  assert.deepEqual(
    ['2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map(
      shown,
    ),
    ['01:59', '03:00', '02:30', '02:30'],
  );
  assert.equal(timeAs('clockOfZone', at('2026-10-25T01:30:00Z'), 'en-GB', BERLIN), '02:30 CET');
  assert.equal(numericTime(at('2026-11-18T23:30:00Z'), BERLIN), '2026-11-19 00:30');
});

test('a day has no zone', () => {
  assert.equal(dayAs('longDate', '2026-11-19', 'de'), 'Donnerstag, 19. November 2026');
  assert.equal(dayAs('date', '2026-11-19', 'en-US'), 'Nov 19, 2026');
});

test('a time ahead is as precise as it can be known, by the clocks of the zone', () => {
  const reader = { nowMs: at('2026-11-19T05:00:00Z'), language: 'en-US', halfDays: HALF_DAYS };
  const ahead = (text: string, timeZone: string): string => timeAhead(at(text), { ...reader, timeZone });
  assert.equal(ahead('2026-11-19T09:10:00Z', BERLIN), 'Thu 10:00 AM');
  assert.equal(ahead('2026-11-19T09:10:00Z', 'America/Chicago'), 'Thu 03:00 AM');
  assert.equal(ahead('2026-11-19T09:40:00Z', 'Asia/Kolkata'), 'Thu 03:00 PM', 'a zone of half an hour');
  assert.equal(ahead('2026-11-22T11:30:00Z', BERLIN), 'Sun afternoon');
  assert.equal(ahead('2026-11-22T11:30:00Z', 'UTC'), 'Sun morning');
  assert.equal(ahead('2026-11-25T23:30:00Z', BERLIN), 'Thu, Nov 26');
});

test('a place is named after its zone, where its clocks are others', () => {
  assert.equal(placeOfZone('America/Argentina/Buenos_Aires'), 'Buenos Aires');
  const [winter, summer] = [at('2026-12-01T00:00:00Z'), at('2026-07-01T00:00:00Z')];
  assert.deepEqual(
    [areOtherClocks(BERLIN, 'Africa/Algiers', winter), areOtherClocks(BERLIN, 'Africa/Algiers', summer)],
    [false, true],
  );
});
