import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluateAlerts, nextEvaluationAtMs } from '../alerts/evaluation.ts';
import { delaysOf } from '../alerts/monitoring.ts';
import { FRESHNESS_MS, NEVER_SEEN } from '../devices/status.ts';
import type { LatestValues } from '../sensors/sensor.ts';
import { standardSensorsOf } from '../sensors/standard-sensors.ts';
import { weatherStation } from './weather-station.ts';

const NOW_MS = Date.UTC(2026, 5, 15, 12);

const configuration = weatherStation.initialConfiguration(NOW_MS);
const delays = delaysOf(configuration.alarms);

const facts = (lastSeenAtMs: number, latest: LatestValues) => ({
  deviceNo: 1,
  profile: 'weather_station' as const,
  configuration,
  latest,
  sensors: standardSensorsOf('weather_station'),
  presence: { ...NEVER_SEEN, lastSeenAtMs },
  operations: [],
  missions: [],
  commands: [],
  observedSinceMs: 0,
  onlineSinceMs: 0,
  dueAtMs: null,
});

const raised = (...about: Parameters<typeof facts>): string[] =>
  evaluateAlerts(weatherStation, facts(...about), [], { delays, newAlertId: () => 'al_1' }, NOW_MS).flatMap(
    ({ after }) => (after === null ? [] : [after.type]),
  );

describe('a weather station', () => {
  it('has no alert while it reports plausible weather', () => {
    assert.deepEqual(raised(NOW_MS, { rainfall: { value: 400, tsMs: NOW_MS } }), []);
  });

  it('is offline after a silence, and says when that will be', () => {
    assert.deepEqual(raised(NOW_MS - FRESHNESS_MS - NEVER_SEEN.offlineDelayMs - 2, {}), ['device_offline']);
    assert.equal(
      nextEvaluationAtMs(weatherStation, facts(NOW_MS, {}), [], delays, NOW_MS),
      NOW_MS + FRESHNESS_MS + 1,
    );
  });

  it('has a fault in a sensor that measures the impossible, and a stale one that measures no more', () => {
    assert.deepEqual(raised(NOW_MS, { rainfall: { value: -1, tsMs: NOW_MS } }), ['sensor_fault']);
    const oldMs = NOW_MS - FRESHNESS_MS - 1;
    assert.deepEqual(raised(NOW_MS, { wind_speed: { value: 1, tsMs: oldMs } }), ['sensor_stale']);
  });

  it('is configured as far as it can be', () => {
    const changed = weatherStation.patchConfiguration(configuration, { reporting: { interval_s: 60 } });
    assert.deepEqual(changed, {
      ...configuration,
      reporting: { ...configuration.reporting, interval_s: 60 },
    });
  });
});
