import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TimeZone, timeZone } from '@granary/common/time-zone';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { joinIntoDays, planLocalDays } from './local-days.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Havana',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Africa/Cairo',
  '+05:30',
];

function zoneOf(name: string): TimeZone {
  const zone = timeZone(name);
  assert.ok(zone !== null, name);
  return zone;
}

const DAYS = [
  ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25', 25],
  ['Europe/Berlin', '2026-07-01T22:00:00Z', '2026-07-02', 24],
  ['Asia/Kolkata', '2026-03-28T18:30:00Z', '2026-03-29', 24],
  ['Australia/Lord_Howe', '2026-04-04T13:00:00Z', '2026-04-05', 24.5],
  ['America/Havana', '2026-03-08T05:00:00Z', '2026-03-08', 23],
  ['America/Havana', '2026-11-01T04:00:00Z', '2026-11-01', 25],
  // Apia skipped the 30th.
  ['Pacific/Apia', '2011-12-29T10:00:00Z', '2011-12-29', 24],
] as const;

for (const [name, start, date, hours] of DAYS) {
  test(`${date} in ${name} begins at ${start} and has ${hours} hours`, () => {
    const zone = zoneOf(name);
    const startMs = Date.parse(start);
    assert.equal(zone.dateAt(startMs), date);
    assert.equal(zone.dayStartOf(startMs + 5 * HOUR_MS), startMs);
    assert.equal(zone.dayStartFrom(startMs), startMs);
    assert.equal(zone.dayStartFrom(startMs - 1), startMs);
    assert.equal((zone.nextDayStart(startMs) - startMs) / HOUR_MS, hours);
    assert.equal(zone.nextDayStart(startMs + 3 * HOUR_MS), zone.nextDayStart(startMs));
  });
}

test('the day after the 29th was the 31st in Apia', () => {
  const zone = zoneOf('Pacific/Apia');
  assert.equal(zone.dateAt(zone.nextDayStart(Date.parse('2011-12-29T10:00:00Z'))), '2011-12-31');
});

const anyTime = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2035, 0) });

for (const name of ZONES) {
  test(`every moment is in one day of ${name}`, () => {
    const zone = zoneOf(name);
    fc.assert(
      fc.property(anyTime, (timeMs) => {
        const start = zone.dayStartOf(timeMs);
        const end = zone.nextDayStart(timeMs);
        assert.ok(start <= timeMs && timeMs < end);
        assert.equal(zone.dateAt(start), zone.dateAt(timeMs));
        assert.notEqual(zone.dateAt(start - MINUTE_MS), zone.dateAt(start));
        assert.notEqual(zone.dateAt(end), zone.dateAt(end - MINUTE_MS));
        assert.ok(Math.abs(end - start - DAY_MS) <= HOUR_MS);
        assert.equal(zone.nextDayStart(start), end);
      }),
    );
  });
}

test('names that are no time zones are not known', () => {
  for (const name of ['Berlin', 'Europe/Nowhere', '+25:00', '', 'toString'])
    assert.equal(timeZone(name), null);
});

const RANGE = { interval: '1d', fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 3, 20) } as const;

test('days are made of hours, or of five minutes where hours do not begin together', () => {
  const sourceOf = (tz: string) => planLocalDays({ ...RANGE, tz }, RANGE.fromMs).source;
  assert.equal(sourceOf('Europe/Berlin'), '1h');
  assert.equal(sourceOf('Asia/Kolkata'), '5m');
  assert.equal(sourceOf('Australia/Lord_Howe'), '5m');
});

test('days that cannot be made are refused', () => {
  const refused = (wanted: Partial<Parameters<typeof planLocalDays>[0]>, message: RegExp) =>
    assert.throws(
      () => planLocalDays({ ...RANGE, tz: 'Asia/Kolkata', ...wanted }, RANGE.fromMs + 1),
      (error: { details: { path: string; message: string }[] }) =>
        error.details[0]?.path === '/tz' && message.test(error.details[0].message),
    );
  refused({}, /kept since 2026-03-01T/);
  refused({ tz: 'Berlin' }, /such as Europe\/Berlin/);
  refused({ interval: '1h' }, /only for interval=1d/);
});

test('joined days have every value of their buckets once', () => {
  const bucket = fc.record({
    hour: fc.integer({ min: 0, max: 24 * 400 }),
    value: fc.integer({ min: -1_000, max: 1_000 }),
    isBad: fc.boolean(),
  });
  const wanted = fc.uniqueArray(bucket, { selector: ({ hour }) => hour, maxLength: 200 });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), wanted, (name, drawn) => {
      const zone = zoneOf(name);
      const buckets = drawn
        .toSorted((one, other) => one.hour - other.hour)
        .map(({ hour, value, isBad }) => {
          const startMs = Date.UTC(2026, 0) + hour * HOUR_MS;
          const none = { sum: 0, count: 0, min: null, max: null, last: null, lastTsMs: null, badCount: 1 };
          const good = {
            sum: 2 * value,
            count: 2,
            min: value,
            max: value,
            last: value,
            lastTsMs: null,
            badCount: 0,
          };
          return { startMs, ...(isBad ? none : good) };
        });
      const days = joinIntoDays(buckets, zone);
      const inDays = Map.groupBy(buckets, ({ startMs }) => zone.dayStartOf(startMs));
      assert.deepEqual(
        days.map(({ startMs }) => startMs),
        [...inDays.keys()],
      );
      for (const day of days) {
        const own = inDays.get(day.startMs) ?? [];
        const values = own.flatMap(({ last }) => last ?? []);
        assert.equal(
          day.sum,
          values.reduce((sum, value) => sum + 2 * value, 0),
        );
        assert.equal(day.count, 2 * values.length);
        assert.equal(day.badCount, own.length - values.length);
        assert.equal(day.last, values.at(-1) ?? null);
        assert.equal(day.min, values.length === 0 ? null : Math.min(...values));
        assert.equal(day.max, values.length === 0 ? null : Math.max(...values));
      }
    }),
  );
});
