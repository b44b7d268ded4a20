import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shelvedUntil } from './shelving.ts';

const at = (hour: number): number => new Date(2026, 10, 16, hour).getTime();

test('a shelving ends after its length, by the clock of the service', () => {
  const nowMs = Date.parse('2026-11-16T12:00:00Z');
  assert.equal(shelvedUntil('4h', nowMs, ''), '2026-11-16T16:00:00.000Z');
  assert.equal(shelvedUntil('7d', nowMs, ''), '2026-11-23T12:00:00.000Z');
});

test('the next morning is that of today only before seven', () => {
  assert.equal(shelvedUntil('morning', at(5), ''), new Date(at(7)).toISOString());
  assert.equal(shelvedUntil('morning', at(7), ''), new Date(2026, 10, 17, 7).toISOString());
});

test('another time is of the zone of the viewer, and must be a time', () => {
  assert.equal(shelvedUntil('other', at(5), '2026-11-16T09:00'), new Date(at(9)).toISOString());
  assert.equal(shelvedUntil('other', at(5), ''), null);
});
