import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shelvedUntil } from './shelving.ts';

const BERLIN = 'Europe/Berlin';
const until = (time: Parameters<typeof shelvedUntil>[0], now: string, other = '') =>
  shelvedUntil(time, Date.parse(now), other, BERLIN);

test('a shelving ends after its length, by the clock of the service', () => {
  assert.equal(until('4h', '2026-11-16T12:00:00Z'), '2026-11-16T16:00:00.000Z');
  assert.equal(until('7d', '2026-11-16T12:00:00Z'), '2026-11-23T12:00:00.000Z');
});

test('the next morning is that of the site, and that of today only before seven there', () => {
  assert.equal(until('morning', '2026-11-16T05:59:00Z'), '2026-11-16T06:00:00.000Z');
  assert.equal(until('morning', '2026-11-16T06:00:00Z'), '2026-11-17T06:00:00.000Z');
  assert.equal(until('morning', '2026-11-15T23:30:00Z'), '2026-11-16T06:00:00.000Z');
  assert.equal(
    until('morning', '2026-10-24T12:00:00Z'),
    '2026-10-25T06:00:00.000Z',
    'the night of the change',
  );
});

test('another time must be a time', () => {
  assert.equal(until('other', '2026-11-16T05:00:00Z', '2026-11-16T09:00Z'), '2026-11-16T09:00:00.000Z');
  for (const none of ['', 'NaN']) assert.equal(until('other', '2026-11-16T05:00:00Z', none), null);
});
