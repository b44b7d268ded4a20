import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '@granary/contract/time';
import { agoText, timeText } from './message.ts';

test('times and lengths of time are written for people', () => {
  assert.equal(
    timeText(Date.parse('2026-06-15T20:10:59Z'), 'Europe/Berlin'),
    '2026-06-15 22:10 (Europe/Berlin)',
  );
  assert.equal(agoText(-1), 'just now');
  assert.equal(agoText(59_000), 'just now');
  assert.equal(agoText(61_000), '1 minute ago');
  assert.equal(agoText(3 * DAY_MS + 1), '3 days ago');
});
