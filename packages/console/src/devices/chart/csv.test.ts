import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './csv.ts';
import type { SensorHistory } from './load-history.ts';

const history = (unit: string): SensorHistory => ({
  sensor: { id: 'co2', unit, declaredType: 'co2', reportingIntervalS: null },
  interval: '1h',
  buckets: [{ atMs: Date.parse('2026-11-16T10:30:00Z'), mean: 4.5, min: 4, max: 5 }],
});

test('a line has the beginning of its interval, and mean, minimum and maximum', () => {
  assert.equal(
    csvOf([history('ppm')]),
    'timestamp,interval,sensor,unit,mean,min,max\r\n2026-11-16T10:00:00.000Z,1h,co2,ppm,4.5,4,5\r\n',
  );
});

test('a unit cannot break the columns or become a formula', () => {
  assert.match(csvOf([history('a,"b"')]), /,co2,"a,""b""",4\.5,/);
  assert.match(csvOf([history('=1+1')]), /,co2,'=1\+1,4\.5,/);
});
