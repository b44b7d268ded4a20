import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvName, csvOf, type SensorHistory, usualValues } from './chart-data.ts';

const history = (unit: string): SensorHistory => ({
  sensor: { id: 'co2', unit, declaredType: 'co2', reportingIntervalS: null },
  interval: '1h',
  buckets: [{ atMs: Date.parse('2026-11-16T10:30:00Z'), mean: 4.5, min: 4, max: 5 }],
});

test('a line has the beginning of its interval, and mean, minimum and maximum', () => {
  assert.equal(
    csvOf('silo-02', [history('ppm')]),
    'timestamp,interval,sensor,unit,mean,min,max\r\n2026-11-16T10:00:00.000Z,1h,co2,ppm,4.5,4,5\r\n',
  );
});

test('a unit cannot break the columns or become a formula', () => {
  assert.match(csvOf('silo-02', [history('a,"b"')]), /,co2,"a,""b""",4\.5,/);
  assert.match(csvOf('silo-02', [history('=1+1')]), /,co2,'=1\+1,4\.5,/);
});

test('values have three decimals at most, and the name tells device, sensors and days', () => {
  const [bucket] = history('ppm').buckets;
  const fine = { ...history('ppm'), buckets: bucket === undefined ? [] : [{ ...bucket, mean: 4.123456 }] };
  assert.match(csvOf('silo-02', [fine]), /,ppm,4\.123,4,5/);
  const range = {
    fromMs: Date.parse('2026-11-10T00:00:00Z'),
    toMs: Date.parse('2026-11-17T00:00:00Z'),
    preset: null,
  };
  assert.equal(csvName('silo-02', [fine], range), 'silo-02_co2_2026-11-10_2026-11-17.csv');
});

test('usual is what two or more of the four weeks before had at the same hour', () => {
  const atMs = Date.parse('2026-11-16T10:30:00Z');
  const week = (weeks: number, mean: number) => ({
    atMs: atMs - weeks * 7 * 86_400_000,
    mean,
    min: mean - 1,
    max: mean + 1,
  });
  const range = { fromMs: atMs - 600_000, toMs: atMs + 600_000 };
  assert.deepEqual(usualValues([week(0, 99), week(1, 4), week(3, 7), week(5, 50)], range), [
    { atMs, min: 4, max: 7 },
  ]);
  assert.deepEqual(usualValues([week(1, 4)], range), []);
});
