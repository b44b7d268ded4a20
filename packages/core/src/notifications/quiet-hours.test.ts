import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WEEKDAYS, type Weekday } from '@granary/contract/notifications';
import { DAY_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { type QuietHoursOfRule, quietUntil } from './dispatch.ts';

const quiet = (from: string, to: string, fields: Partial<QuietHoursOfRule> = {}): QuietHoursOfRule => ({
  from,
  to,
  time_zone: 'Europe/Berlin',
  days: [...WEEKDAYS],
  critical_too: false,
  ...fields,
});

const at = (text: string): number => Date.parse(text);
const endOf = (hours: QuietHoursOfRule, text: string): string | null => {
  const end = quietUntil(hours, at(text));
  return end === null ? null : new Date(end).toISOString();
};

const NIGHT = quiet('22:00', '06:00');

test('quiet hours pass midnight, in local time', () => {
  assert.equal(endOf(NIGHT, '2026-11-15T20:59:59Z'), null);
  assert.equal(endOf(NIGHT, '2026-11-15T21:00:00Z'), '2026-11-16T05:00:00.000Z');
  assert.equal(endOf(NIGHT, '2026-11-16T04:59:59.999Z'), '2026-11-16T05:00:00.000Z');
  assert.equal(endOf(NIGHT, '2026-11-16T05:00:00Z'), null);
});

test('quiet hours within a day', () => {
  const noon = quiet('12:00', '13:00');
  assert.equal(endOf(noon, '2026-07-01T10:30:00Z'), '2026-07-01T11:00:00.000Z');
  assert.equal(endOf(noon, '2026-07-01T11:00:00Z'), null);
});

test('they end by the local clock also in the nights when it is put forward or back', () => {
  assert.equal(endOf(NIGHT, '2026-03-28T23:00:00Z'), '2026-03-29T04:00:00.000Z');
  assert.equal(endOf(NIGHT, '2026-10-24T23:00:00Z'), '2026-10-25T05:00:00.000Z');
  const early = quiet('01:00', '02:30');
  assert.equal(endOf(early, '2026-03-29T00:30:00Z'), '2026-03-29T01:00:00.000Z');
  assert.equal(endOf(early, '2026-10-25T00:15:00Z'), '2026-10-25T00:30:00.000Z');
});

test('the days are those on which they begin', () => {
  const friday = quiet('22:00', '06:00', { days: ['fri'] });
  assert.equal(endOf(friday, '2026-11-13T22:00:00Z'), '2026-11-14T05:00:00.000Z', 'the night after Friday');
  assert.equal(endOf(friday, '2026-11-14T04:00:00Z'), '2026-11-14T05:00:00.000Z', 'Saturday morning');
  assert.equal(endOf(friday, '2026-11-13T04:00:00Z'), null, 'Friday morning');
  assert.equal(endOf(friday, '2026-11-14T22:00:00Z'), null, 'the night after Saturday');
});

const timeOfDay = fc
  .integer({ min: 0, max: 24 * 60 - 1 })
  .map((n) => `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`);

test('the end lies ahead within a day and an hour, and is not quiet itself', () => {
  fc.assert(
    fc.property(
      fc.tuple(timeOfDay, timeOfDay).filter(([from, to]) => from !== to),
      fc.subarray<Weekday>([...WEEKDAYS], { minLength: 1 }),
      fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'),
      fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) }),
      ([from, to], days, time_zone, nowMs) => {
        const hours = quiet(from, to, { days, time_zone });
        const end = quietUntil(hours, nowMs);
        if (end === null) return;
        assert.ok(end > nowMs && end - nowMs <= DAY_MS + 3_600_000);
        assert.equal(quietUntil(hours, end - 1), end);
        assert.notEqual(quietUntil(hours, end), end);
      },
    ),
  );
});
