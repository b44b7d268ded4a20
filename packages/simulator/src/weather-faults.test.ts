import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '@granary/contract/time';
import { createWeatherFault, STATIONS, type WeatherFault, weatherAt } from './weather.ts';

const START_MS = Date.UTC(2026, 10, 15, 12);
const [STATION = assert.fail()] = STATIONS;
const reading = (hour: number) => weatherAt(STATION, START_MS + hour * HOUR_MS, START_MS);

/** Returns what a station with these faults sends in place of the readings of three hours. */
function sent(...names: WeatherFault[]) {
  const fault = createWeatherFault(new Set(names));
  return [0, 1, 2].flatMap((hour) => fault(reading(hour)));
}

test('a drifting station measures two degrees more every hour', () => {
  const rise = sent('drift').map(({ temperature }, hour) => temperature - reading(hour).temperature);
  assert.deepEqual(
    rise.map((degrees) => Number(degrees.toFixed(1))),
    [0, 2, 4],
  );
});

test('a station with a dropout sends everything but wind and rain', () => {
  const { wind_speed, rainfall, ...others } = reading(1);
  assert.ok(wind_speed >= 0 && rainfall >= 0);
  assert.deepEqual(sent('dropout')[1], others);
});

test('faults of the values and of the sending work together', () => {
  const readings = sent('drift', 'stuck', 'duplicates', 'out-of-order');
  assert.deepEqual(
    readings.map(({ ts }) => (ts - START_MS) / HOUR_MS),
    [1, 0, 0, 2, 2, 1],
  );
  assert.equal(new Set(readings.map(({ temperature }) => temperature)).size, 1);
});
