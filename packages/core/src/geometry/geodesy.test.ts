import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Point } from '@granary/contract/positions';
import fc from 'fast-check';
import geodesic from 'geographiclib-geodesic';
import { courseTo, destination, distanceM } from './geodesy.ts';

const { Geodesic } = geodesic;
/** What Vincenty's series promise anywhere on the earth, as long as they converge. */
const OFF_M_MAX = 0.0002;
/** Beyond this arc they may not converge, and the way is only estimated. */
const NEAR_ANTIPODE_DEGREES = 178.5;
const NEAR_ANTIPODE_SHARE_OFF_MAX = 0.001;

const at = (lat: number, lng: number): Point => ({ lat, lng });

function inverse(from: Point, to: Point) {
  const { s12, azi1, a12 } = Geodesic.WGS84.Inverse(from.lat, from.lng, to.lat, to.lng);
  assert.ok(s12 !== undefined && azi1 !== undefined && a12 !== undefined);
  return { distanceM: s12, bearingDegrees: azi1, arcDegrees: a12 };
}

const expectedM = (from: Point, to: Point): number => inverse(from, to).distanceM;

function assertDistance(from: Point, to: Point): void {
  const { distanceM: expected, arcDegrees } = inverse(from, to);
  const offMax = arcDegrees < NEAR_ANTIPODE_DEGREES ? OFF_M_MAX : NEAR_ANTIPODE_SHARE_OFF_MAX * expected;
  const offM = Math.abs(distanceM(from, to) - expected);
  assert.ok(offM <= offMax, `off by ${offM} m of ${expected} m`);
}

const TABLE: readonly (readonly [string, Point, Point])[] = [
  ['a metre', at(52.5, 13.4), at(52.500009, 13.4)],
  ['a field', at(52.5, 13.4), at(52.504, 13.409)],
  ['Paris to New York', at(48.8566, 2.3522), at(40.7128, -74.006)],
  ['pole to pole', at(90, 0), at(-90, 0)],
  ['pole to equator', at(90, 77), at(0, -12)],
  ['around the north pole', at(89.9999, 0), at(89.9999, 179)],
  ['over the north pole', at(89.99, 10), at(89.99, -170)],
  ['around the south pole', at(-89.999, -90), at(-89.999, 91)],
  ['over the antimeridian', at(-17.7, 179.9995), at(-17.7, -179.9995)],
  ['along the antimeridian', at(10, 180), at(11, -180)],
  ['from one side of it to the other', at(66, -179), at(65, 179)],
  ['along the equator', at(0, 0), at(0, 100)],
  ['half around the equator', at(0, 0), at(0, 180)],
  ['nearly to the antipode', at(0, 0), at(0.5, 179.7)],
  ['to the antipode', at(30, 40), at(-30, -140)],
  ['nearly to the antipode of a place', at(41, 20), at(-41.02, -159.9)],
];

describe('a distance agrees with a geodesic library', () => {
  for (const [name, from, to] of TABLE) {
    it(`${name}: ${(expectedM(from, to) / 1_000).toFixed(3)} km`, () => {
      assertDistance(from, to);
      assert.ok(Math.abs(distanceM(to, from) - distanceM(from, to)) < 0.001);
    });
  }

  it('between any two places', () => {
    fc.assert(fc.property(place, place, assertDistance), { numRuns: 2_000 });
  });

  it('between any place and whatever lies close to its antipode', () => {
    const off = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(place, off, off, (from, north, east) => {
        const to = at(
          Math.max(-90, Math.min(90, north - from.lat)),
          from.lng + east + (from.lng < 0 ? 180 : -180),
        );
        assertDistance(from, to);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is nothing from a place to itself, whatever it is called', () => {
    for (const [from, to] of [
      [at(1, 2), at(1, 2)],
      [at(0, 180), at(0, -180)],
      [at(90, 0), at(90, 120)],
    ] as const) {
      assert.ok(distanceM(from, to) < 1e-6);
    }
  });
});

const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const place = fc.record({ lat: fc.double({ min: -90, max: 90, noNaN: true }), lng: longitude });

describe('a course', () => {
  it('begins in the direction that a geodesic library names', () => {
    for (const [from, to, expected] of [
      [at(0, 0), at(1, 0), 0],
      [at(0, 0), at(0, 1), 90],
      [at(0, 0), at(-1, 0), 180],
      [at(0, 179.5), at(0, -179.5), 90],
      [at(0, 0), at(0, -1), 270],
      [at(-30, 10), at(90, 0), 0],
    ] as const) {
      assert.ok(Math.abs(courseTo(from, to).bearingDegrees - expected) < 1e-6);
    }
  });

  it('between places of one farm has the direction that a geodesic library names', () => {
    const off = fc.double({ min: -0.1, max: 0.1, noNaN: true });
    const inhabited = fc.record({ lat: fc.double({ min: -80, max: 80, noNaN: true }), lng: longitude });
    fc.assert(
      fc.property(inhabited, off, off, (from, north, east) => {
        const to = at(from.lat + north, from.lng + east);
        const expected = inverse(from, to);
        const turn = (courseTo(from, to).bearingDegrees - expected.bearingDegrees) * (Math.PI / 180);
        assert.ok(Math.abs(Math.sin(turn)) * expected.distanceM <= OFF_M_MAX);
        assert.ok(expected.distanceM < OFF_M_MAX || Math.cos(turn) > 0, 'the opposite direction');
      }),
      { numRuns: 2_000 },
    );
  });

  it('leads where a geodesic library says', () => {
    const wayM = fc.double({ min: 0, max: 1e7, noNaN: true });
    const bearing = fc.double({ min: 0, max: 360, noNaN: true });
    fc.assert(
      fc.property(place, wayM, bearing, (from, distance, bearingDegrees) => {
        const there = destination(from, { distanceM: distance, bearingDegrees });
        const { lat2 = Number.NaN, lon2 = Number.NaN } = Geodesic.WGS84.Direct(
          from.lat,
          from.lng,
          bearingDegrees,
          distance,
        );
        assert.ok(
          expectedM(there, at(lat2, lon2)) <= OFF_M_MAX,
          `${JSON.stringify(there)} is not ${lat2}, ${lon2}`,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('followed from its start ends at its end', () => {
    const from = at(-17.7, 179.9995);
    const to = at(-17.71, -179.9989);
    assert.ok(distanceM(destination(from, courseTo(from, to)), to) < 0.001);
  });
});
