import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import geographiclib from 'geographiclib-geodesic';
import {
  ahead,
  apartM,
  bearingDegrees,
  groundAround,
  isWithin,
  planePointOf,
  pointOf,
  turnDegrees,
} from './ground.ts';

const HOMES = [
  { lat: 52.02, lng: 8.53 },
  { lat: 0, lng: 0 },
  { lat: -45, lng: 180 },
  { lat: 70, lng: -179.9999 },
];

const nearby = fc.record({
  eastM: fc.double({ min: -1_000, max: 1_000, noNaN: true }),
  northM: fc.double({ min: -1_000, max: 1_000, noNaN: true }),
});

for (const home of HOMES) {
  const ground = groundAround(home, 0);

  test(`around ${home.lat}, ${home.lng} every spot is found again`, () => {
    fc.assert(
      fc.property(nearby, (spot) => {
        const point = pointOf(ground, spot);
        assert.ok(point.lng >= -180 && point.lng <= 180);
        assert.ok(apartM(planePointOf(ground, point), spot) < 1e-3);
      }),
    );
  });

  test(`around ${home.lat}, ${home.lng} distances are true to a thousandth`, () => {
    fc.assert(
      fc.property(nearby, (spot) => {
        const { lat, lng } = pointOf(ground, spot);
        const { s12 = Number.NaN } = geographiclib.Geodesic.WGS84.Inverse(home.lat, home.lng, lat, lng);
        const reckonedM = apartM(spot, { eastM: 0, northM: 0 });
        assert.ok(Math.abs(reckonedM - s12) <= 1e-3 * s12 + 1e-6, `${reckonedM} is not ${s12}`);
      }),
    );
  });
}

test('a step along the bearing to a point ends at that point', () => {
  fc.assert(
    fc.property(nearby, nearby, (from, to) => {
      const there = ahead(from, bearingDegrees(from, to), apartM(from, to));
      assert.ok(apartM(there, to) < 1e-6);
    }),
  );
});

const TURNS: readonly (readonly [from: number, to: number, turn: number])[] = [
  [0, 90, 90],
  [0, -90, -90],
  [350, 10, 20],
  [10, 350, -20],
  [0, 180, -180],
];

for (const [from, to, turn] of TURNS) {
  test(`from ${from}° to ${to}° it turns ${turn}°`, () => assert.equal(turnDegrees(from, to), turn));
}

test('inside and outside of a fence with a bay', () => {
  const corners = [
    [0, 0],
    [100, 0],
    [100, 100],
    [50, 20],
    [0, 100],
  ].map(([eastM = 0, northM = 0]) => ({ eastM, northM }));
  const isIn = (eastM: number, northM: number) => isWithin(corners, { eastM, northM });
  assert.deepEqual([isIn(10, 10), isIn(50, 10), isIn(90, 70), isIn(10, 70)], [true, true, true, true]);
  assert.deepEqual([isIn(50, 50), isIn(-1, 50), isIn(50, -1), isIn(101, 10)], [false, false, false, false]);
});
