import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TRACK_DEFAULT_MS } from '@granary/contract/telemetry/field-readings';
import { HOUR_MS, toIso } from '@granary/contract/time';
import { FRESHNESS_MS, NEVER_SEEN } from '../devices/status.ts';
import { STANDARD_SENSORS, standardSensorsOf } from '../sensors/standard-sensors.ts';
import { environmentalReading, locationReading, planTrack, trackPoints } from './field-readings.ts';
import { historyPoints, planFieldHistory } from './history.ts';

const SENSORS = standardSensorsOf('rover');
const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const fresh = (value: number) => ({ value, tsMs: NOW_MS - 2_000 });
const old = (value: number) => ({ value, tsMs: NOW_MS - FRESHNESS_MS - 1 });

describe('the location', () => {
  const latest = {
    latitude: fresh(52_5200000),
    longitude: fresh(-13_4000000),
    altitude: fresh(34_500),
    battery_level: fresh(87_250),
    signal_strength: old(-71_000),
  };

  it('is told with the quality and age of each part', () => {
    assert.deepEqual(locationReading(latest, NEVER_SEEN, NOW_MS), {
      coordinates: { latitude: 52.52, longitude: -13.4, altitude: 34.5 },
      battery_level: 87.25,
      signal_strength: -71,
      last_updated: toIso(NOW_MS - 2_000),
      quality: { coordinates: 'good', battery_level: 'good', signal_strength: 'stale' },
      age_s: { coordinates: 2, battery_level: 2, signal_strength: 30 },
    });
  });

  it('is null where nothing was ever reported', () => {
    const never = locationReading({}, NEVER_SEEN, NOW_MS);
    assert.deepEqual(never.coordinates, { latitude: null, longitude: null, altitude: null });
    assert.equal(never.last_updated, null);
    assert.equal(never.quality.coordinates, 'bad');
    assert.equal(never.age_s.coordinates, null);
  });

  it('is as good as the worst of its coordinates, but needs no altitude', () => {
    const { altitude: _, ...flat } = latest;
    assert.equal(locationReading(flat, NEVER_SEEN, NOW_MS).quality.coordinates, 'good');
    const qualityOf = (change: object) =>
      locationReading({ ...latest, ...change }, NEVER_SEEN, NOW_MS).quality.coordinates;
    assert.equal(qualityOf({ longitude: old(1) }), 'stale');
    assert.equal(qualityOf({ latitude: fresh(91e7) }), 'bad');
    assert.equal(qualityOf({ altitude: old(1) }), 'stale');
    assert.equal(locationReading({ ...latest, longitude: old(1) }, NEVER_SEEN, NOW_MS).age_s.coordinates, 30);
  });

  it('is never from the future', () => {
    const ahead = { ...latest, battery_level: { value: 1, tsMs: NOW_MS + 5_000 } };
    assert.equal(locationReading(ahead, NEVER_SEEN, NOW_MS).age_s.battery_level, 0);
  });
});

describe('the environment', () => {
  it('is six values, each with its quality and age', () => {
    const reading = environmentalReading(
      {
        temperature: fresh(12_340),
        humidity: fresh(55_500),
        soil_moisture: old(31_000),
        light_intensity: fresh(20_000_000),
        wind_speed: fresh(200_000),
      },
      SENSORS,
      NEVER_SEEN,
      NOW_MS,
    );
    assert.deepEqual(reading, {
      temperature: 12.34,
      humidity: 55.5,
      soil_moisture: 31,
      light_intensity: 20_000,
      wind_speed: 200,
      atmospheric_pressure: null,
      last_updated: toIso(NOW_MS - 2_000),
      quality: {
        temperature: 'good',
        humidity: 'good',
        soil_moisture: 'stale',
        light_intensity: 'good',
        wind_speed: 'bad',
        atmospheric_pressure: 'bad',
      },
      age_s: {
        temperature: 2,
        humidity: 2,
        soil_moisture: 30,
        light_intensity: 2,
        wind_speed: 2,
        atmospheric_pressure: null,
      },
    });
  });
});

describe('the history of a field device', () => {
  it('is of any of its values', () => {
    const plan = planFieldHistory({ sensor: 'latitude', aggregate: 'max', interval: '5m' }, SENSORS, NOW_MS);
    const buckets = [
      { startMs: NOW_MS, sum: 0, count: 2, min: 0, max: 52_5200000, last: 0, lastTsMs: NOW_MS, badCount: 5 },
    ];
    assert.deepEqual(historyPoints(buckets, plan, null), [{ timestamp: toIso(NOW_MS), value: 52.52 }]);
    assert.equal(historyPoints(buckets, { ...plan, aggregate: 'count' }, null)[0]?.value, 2);
    assert.equal(historyPoints(buckets, { ...plan, aggregate: 'bad_count' }, null)[0]?.value, 5);
  });

  it('is refused for a sensor that it does not have', () => {
    const asks = () => planFieldHistory({ sensor: 'rainfall' }, SENSORS, NOW_MS);
    assert.throws(asks, { code: 'invalid_input', message: 'the query is not valid' });
  });

  it('is the temperature of a day unless asked otherwise', () => {
    assert.deepEqual(planFieldHistory({}, SENSORS, NOW_MS), {
      name: 'temperature',
      sensor: STANDARD_SENSORS.temperature,
      unit: null,
      hasRange: false,
      interval: '1h',
      aggregate: 'avg',
      fromMs: NOW_MS - 24 * HOUR_MS,
      toMs: NOW_MS,
    });
  });
});

describe('the track', () => {
  const places = Array.from({ length: 7 }, (_, index) => ({
    tsMs: NOW_MS + index,
    latitude: index * 1e7,
    longitude: index * 1e7,
    altitude: index === 0 ? null : 1_500,
  }));

  it('is of the last hours unless asked otherwise', () => {
    assert.deepEqual(planTrack({}, NOW_MS), { fromMs: NOW_MS - TRACK_DEFAULT_MS, toMs: NOW_MS });
    const [from, to] = [toIso(NOW_MS - 1), toIso(NOW_MS)];
    assert.deepEqual(planTrack({ from, to }, 0), { fromMs: NOW_MS - 1, toMs: NOW_MS });
    assert.throws(() => planTrack({ from: to, to }, NOW_MS), /empty/);
  });

  it('is every place', () => {
    const points = trackPoints(places);
    assert.deepEqual(points[0], { timestamp: toIso(NOW_MS), latitude: 0, longitude: 0, altitude: null });
    assert.equal(points.length, 7);
    assert.equal(points[3]?.altitude, 1.5);
    assert.deepEqual(trackPoints([]), []);
  });

  it('is thinned when it is too long, and keeps its end', () => {
    const latitudes = (pointsMax: number) => trackPoints(places, pointsMax).map(({ latitude }) => latitude);
    assert.deepEqual(latitudes(7), [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(latitudes(6), [0, 2, 4, 6]);
    assert.deepEqual(latitudes(3), [0, 3, 6]);
    assert.deepEqual(latitudes(1), [6]);
  });
});
