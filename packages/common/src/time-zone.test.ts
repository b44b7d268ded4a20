import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { instantOf, isTimeZone, localMs } from './time-zone.ts';

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'UTC',
];
const FROM_MS = Date.UTC(2000, 0, 1);
const TO_MS = Date.UTC(2040, 0, 1);

test('an instant is found by its local time, or an earlier one with the same local time', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.integer({ min: FROM_MS, max: TO_MS }), (zone, instantMs) => {
      const local = localMs(instantMs, zone);
      const found = instantOf(local, zone);
      assert.equal(localMs(found, zone), local);
      assert.ok(found <= instantMs && instantMs - found <= HOUR_MS);
    }),
  );
});

const local = (text: string): number => Date.parse(`${text}Z`);

test('a local time that the clocks skip is the moment when they are put forward', () => {
  const forward = Date.parse('2026-03-29T01:00:00Z');
  for (const skipped of ['2026-03-29T02:00', '2026-03-29T02:30', '2026-03-29T02:59']) {
    assert.equal(instantOf(local(skipped), 'Europe/Berlin'), forward, skipped);
  }
  assert.equal(instantOf(local('2026-03-29T03:00'), 'Europe/Berlin'), forward);
});

test('of a local time that exists twice the first is taken', () => {
  assert.equal(instantOf(local('2026-10-25T02:30'), 'Europe/Berlin'), Date.parse('2026-10-25T00:30:00Z'));
});

test('a day that a zone has skipped has one moment', () => {
  // In Samoa, 29 December 2011 was followed by 31 December.
  assert.equal(instantOf(local('2011-12-30T12:00'), 'Pacific/Apia'), Date.parse('2011-12-30T10:00:00Z'));
});

test('names of zones are checked', () => {
  for (const zone of [...ZONES, 'europe/berlin']) assert.ok(isTimeZone(zone), zone);
  for (const zone of ['', 'Berlin', 'Mars/Olympus', '../etc', 'Europe/Berlin '])
    assert.ok(!isTimeZone(zone), zone);
});
