import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Waypoint } from '@granary/contract/missions';
import fc from 'fast-check';
import { initialFieldConfiguration } from '../../configuration/field-configuration.ts';
import { distanceM } from '../../geometry.ts';
import { estimateMission, isFeasible } from './plan.ts';

const configuration = {
  ...initialFieldConfiguration(0),
  motion: { speed_m_s: 2 },
  battery: { reserve_percent: 20, percent_per_km: 10, percent_per_hour: 36 },
};
const start = { lat: 0, lng: 0, altitude: 0 };
/** About 111.3 m to the east of each other. */
const east: Waypoint = { lat: 0, lng: 0.001, action: 'none' };
const farther: Waypoint = { lat: 0, lng: 0.002, action: 'scan' };

describe('the preflight', () => {
  it('estimates each leg, the whole and the way back', () => {
    const { preflight, durationS } = estimateMission([east, farther], start, configuration, 80);
    assert.deepEqual(preflight, {
      distance_m: 222.64,
      duration_s: 141.32,
      return_distance_m: 222.64,
      // 0.44528 km at 10 % per km, and 252.64 s at 0.01 % per second.
      battery_required: 6.98,
      battery_available: 80,
      battery_reserve: 20,
      legs: [
        { distance_m: 111.32, duration_s: 55.66, battery: 1.67 },
        { distance_m: 111.32, duration_s: 85.66, battery: 1.97 },
      ],
    });
    assert.equal(Math.round(durationS), 253);
  });

  it('goes back to the base, which may be elsewhere', () => {
    const base = { latitude: 0, longitude: 0.003, altitude: 0 };
    const { preflight } = estimateMission([farther], start, { ...configuration, base }, 80);
    assert.equal(preflight.return_distance_m, 111.32);
  });

  it('counts climbing, and keeps the altitude where none is given', () => {
    const up = { ...east, altitude: 100 };
    const { preflight } = estimateMission([up, farther], start, configuration, 80);
    const legs = preflight.legs.map(({ distance_m }) => distance_m);
    assert.deepEqual(legs, [149.64, 111.32]);
    assert.equal(preflight.return_distance_m, 244.07);
    const unknown = estimateMission([up], { ...start, altitude: null }, configuration, 80);
    assert.equal(unknown.preflight.distance_m, 111.32);
  });

  it('adds the time that is spent at a waypoint', () => {
    const staying = (change: Partial<Waypoint>) =>
      estimateMission([{ lat: 0, lng: 0, action: 'none', ...change }], start, configuration, 80).preflight
        .duration_s;
    assert.equal(staying({}), 0);
    assert.equal(staying({ action: 'scan' }), 30);
    assert.equal(staying({ action: 'scan', wait_seconds: 10 }), 40);
    assert.equal(staying({ action: 'wait' }), 30);
    assert.equal(staying({ action: 'wait', wait_seconds: 10 }), 10);
    assert.equal(staying({ action: 'collect_sample' }), 60);
    assert.equal(staying({ action: 'photograph' }), 5);
  });

  it('keeps a reserve', () => {
    const at = (battery: number) =>
      isFeasible(estimateMission([east, farther], start, configuration, battery).preflight);
    assert.equal(at(26.98), true);
    assert.equal(at(26.97), false);
  });

  it('never estimates less for a longer way', () => {
    const place = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lng: fc.double({ min: -180, max: 180, noNaN: true }),
      action: fc.constant('none' as const),
    });
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 5 }), place, (waypoints, more) => {
        const before = estimateMission(waypoints, start, configuration, 100).preflight;
        const after = estimateMission([...waypoints, more], start, configuration, 100).preflight;
        const added = distanceM(waypoints.at(-1) ?? start, more);
        assert.ok(Math.abs(after.distance_m - before.distance_m - added) < 0.1);
        // Close to an antipode the distances are estimates, so a detour may appear shorter by their error.
        assert.ok(after.battery_required >= before.battery_required * 0.998 - 0.05);
      }),
      { numRuns: 200 },
    );
  });
});
