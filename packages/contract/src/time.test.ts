import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checker } from './input/schema.ts';
import { DeviceTime, Timestamp } from './input/timestamp.ts';
import { PROFILES } from './profiles/profiles.ts';
import { parseTime, TIME_MS_MAX, TIME_MS_MIN, toIso } from './time.ts';

const checkTimestamp = checker(Timestamp);
const checkDeviceTime = checker(DeviceTime);

const READABLE: readonly (readonly [string, number])[] = [
  ['1970-01-01T00:00:00Z', 0],
  ['2026-03-01T12:00:00.5Z', Date.UTC(2026, 2, 1, 12, 0, 0, 500)],
  ['2026-03-01T12:00:00.123456789Z', Date.UTC(2026, 2, 1, 12, 0, 0, 123)],
  ['2026-03-01t12:00:00z', Date.UTC(2026, 2, 1, 12)],
  ['2026-03-01T12:00:00+01:30', Date.UTC(2026, 2, 1, 10, 30)],
  ['2026-03-01T12:00:00-23:59', Date.UTC(2026, 2, 2, 11, 59)],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
  ['0001-01-01T00:00:00Z', TIME_MS_MIN],
  ['9999-12-31T23:59:59.999Z', TIME_MS_MAX],
];

for (const [text, expected] of READABLE) {
  test(`${text} is a time`, () => {
    assert.equal(parseTime(text), expected);
    assert.equal(checkTimestamp.accepts(text), true);
  });
}

const NOT_TIMES = [
  '2016-12-31T23:59:60Z',
  '2026-03-01T12:00:00+01:00[Europe/Berlin]',
  '2026-03-01T12:00:00Z[u-ca=iso8601]',
  '2026-03-01T24:00:00Z',
  '2026-03-01T12:60:00Z',
  '2026-03-01T12:00:00+24:00',
  '2026-03-01T12:00:00+01:60',
  '2026-03-01T12:00:00',
  '2026-03-01T12:00Z',
  '2026-03-01T12:00:00.Z',
  '2026-03-01T12:00:00.1234567890Z',
  '2026-03-01 12:00:00Z',
  '2026-03-01',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-01-32T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '+010000-01-01T00:00:00Z',
  ' 2026-03-01T12:00:00Z',
  '2026-03-01T12:00:00Z\n',
  '２０２６-03-01T12:00:00Z',
  'now',
  '',
];

for (const text of NOT_TIMES) {
  test(`${JSON.stringify(text)} is not a time`, () => {
    assert.equal(parseTime(text), null);
    assert.equal(checkTimestamp.accepts(text), false);
    assert.equal(PROFILES.silo_scale.checkTelemetry.accepts({ ts: text, weight: 1 }), false);
    assert.equal(PROFILES.rover.checkTelemetry.accepts({ ts: text, altitude: 1 }), false);
  });
}

test('every time is read as it was written', () => {
  const times = fc.integer({ min: TIME_MS_MIN, max: TIME_MS_MAX });
  fc.assert(fc.property(times, (timeMs) => parseTime(toIso(timeMs)) === timeMs));
});

test('what the schema accepts can be read and written again', () => {
  const digits = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
  const offset = fc.oneof(
    fc.constant('Z'),
    fc.tuple(digits, digits).map(([h, m]) => `+${h}:${m}`),
  );
  const text = fc
    .tuple(fc.integer({ min: 0, max: 9_999 }), digits, digits, digits, digits, digits, offset)
    .map(([y, mo, d, h, m, s, zone]) => `${String(y).padStart(4, '0')}-${mo}-${d}T${h}:${m}:${s}${zone}`);
  fc.assert(
    fc.property(text, (written) => {
      const timeMs = parseTime(written);
      assert.equal(checkTimestamp.accepts(written), timeMs !== null);
      if (timeMs !== null) assert.equal(parseTime(toIso(timeMs)), timeMs);
    }),
  );
});

test('a device time is one that can be written', () => {
  for (const time of [0, 1, 1_700_000_000_000, TIME_MS_MAX]) {
    assert.equal(checkDeviceTime.accepts(time), true);
    toIso(time);
  }
  for (const wrong of [-1, 1.5, TIME_MS_MAX + 1, 1_700_000_000_000_000_000, Number.MAX_VALUE, null]) {
    assert.equal(checkDeviceTime.accepts(wrong), false, String(wrong));
  }
});
