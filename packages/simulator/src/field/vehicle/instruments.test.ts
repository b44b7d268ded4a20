import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rover } from '@granary/contract/profiles/rover';
import { CHANNELS } from '@granary/contract/telemetry/channels';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { DRONE_UNIT, ROVER_UNIT, START_MS } from '@granary/testing/simulator/field';
import fc from 'fast-check';
import { FIELD_UNITS } from '../fleet.ts';
import { bodyAtHome } from './chassis.ts';
import { measure, signalDbm } from './instruments.ts';

const bodies = fc.record({
  timeMs: fc.integer({ min: START_MS, max: START_MS + 400 * DAY_MS }),
  eastM: fc.double({ min: -2_000, max: 2_000, noNaN: true }),
  northM: fc.double({ min: -2_000, max: 2_000, noNaN: true }),
  heightM: fc.double({ min: 0, max: 120, noNaN: true }),
});

for (const unit of FIELD_UNITS) {
  test(`${unit.id} measures values that the device link accepts, anywhere and at any time`, () => {
    fc.assert(
      fc.property(bodies, ({ heightM, ...where }) => {
        const home = bodyAtHome(unit.ground, START_MS);
        const reading = measure(unit, { ...home, ...where, altitudeM: home.altitudeM + heightM });
        assert.ok(rover.checkTelemetry.accepts(reading));
        for (const channel of rover.channels) {
          const { min, max } = CHANNELS[channel];
          assert.ok(reading[channel] >= min && reading[channel] <= max, `${channel} ${reading[channel]}`);
        }
      }),
    );
  });
}

const at = (unit = ROVER_UNIT, changes = {}) =>
  measure(unit, { ...bodyAtHome(unit.ground, START_MS), ...changes });

test('the signal fades with the distance from the base', () => {
  const distances = [0, 10, 100, 1_000, 10_000].map(signalDbm);
  assert.deepEqual(
    distances,
    distances.toSorted((a, b) => b - a),
  );
  assert.ok(at().signal_strength > at(ROVER_UNIT, { eastM: 300 }).signal_strength + 20);
});

test('the readings depend on the time of day', () => {
  const noonMs = Date.UTC(2026, 5, 20, 11);
  const [noon, night] = [noonMs, noonMs + 12 * HOUR_MS].map((timeMs) => at(ROVER_UNIT, { timeMs }));
  assert.ok(noon && night);
  assert.ok(noon.light_intensity > 10_000 && night.light_intensity < 1);
  assert.ok(noon.temperature > night.temperature);
});

test('the readings depend on the place', () => {
  assert.ok(Math.abs(at().soil_moisture - at(ROVER_UNIT, { eastM: 55 }).soil_moisture) > 3);
  const high = at(DRONE_UNIT, { altitudeM: DRONE_UNIT.ground.originAltitudeM + 100 });
  assert.ok(at(DRONE_UNIT).atmospheric_pressure - high.atmospheric_pressure > 10);
  assert.ok(high.wind_speed > at(DRONE_UNIT).wind_speed);
});
