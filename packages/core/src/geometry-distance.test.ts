import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Point } from '@granary/contract/positions';
import fc from 'fast-check';
import { distanceM, MEAN_RADIUS_M, toRadians } from './geometry.ts';

/** The expected distances have four decimal places. */
const OFF_M_MAX = 0.00006;
/** The ellipsoid deviates from a sphere by no more than this share. */
const SPHERE_SHARE_OFF_MAX = 0.0057;

const at = (lat: number, lng: number): Point => ({ lat, lng });

/** Two independent implementations (Vincenty, Karney) agree on them, except near the antipode, where Vincenty has no solution. */
const TABLE: readonly (readonly [string, Point, Point, number])[] = [
  ['a metre', at(52.5, 13.4), at(52.500009, 13.4), 1.0015],
  ['a field', at(52.5, 13.4), at(52.504, 13.409), 756.0705],
  ['Paris to New York', at(48.8566, 2.3522), at(40.7128, -74.006), 5_852_935.2918],
  ['pole to pole', at(90, 0), at(-90, 0), 20_003_931.4586],
  ['pole to equator', at(90, 77), at(0, -12), 10_001_965.7293],
  ['around the north pole', at(89.9999, 0), at(89.9999, 179), 22.3379],
  ['over the north pole', at(89.99, 10), at(89.99, -170), 2_233.8796],
  ['around the south pole', at(-89.999, -90), at(-89.999, 91), 223.3795],
  ['over the antimeridian', at(-17.7, 179.9995), at(-17.7, -179.9995), 106.0826],
  ['along the antimeridian', at(10, 180), at(11, -180), 110_611.1866],
  ['from one side of it to the other', at(66, -179), at(65, 179), 144_913.5844],
  ['along the equator', at(0, 0), at(0, 100), 11_131_949.0793],
  ['half around the equator', at(0, 0), at(0, 180), 20_003_931.4586],
  ['nearly to the antipode', at(0, 0), at(0.5, 179.7), 19_944_127.4208],
  ['to the antipode', at(30, 40), at(-30, -140), 20_003_931.4586],
  ['nearly to the antipode of a place', at(41, 20), at(-41.02, -159.9), 20_000_838.4156],
];

const place = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
});

/** The distance on a sphere, by the haversine formula. */
function sphericalDistanceM(from: Point, to: Point): number {
  const [north, east] = [toRadians(to.lat - from.lat), toRadians(to.lng - from.lng)];
  const square =
    Math.sin(north / 2) ** 2 +
    Math.cos(toRadians(from.lat)) * Math.cos(toRadians(to.lat)) * Math.sin(east / 2) ** 2;
  return 2 * MEAN_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(square)));
}

function assertNearSphere(from: Point, to: Point): void {
  const [actual, spherical] = [distanceM(from, to), sphericalDistanceM(from, to)];
  assert.ok(
    Math.abs(actual - spherical) <= SPHERE_SHARE_OFF_MAX * spherical + 1e-6,
    `${actual} m is not ${spherical} m`,
  );
}

describe('a distance', () => {
  for (const [name, from, to, expectedM] of TABLE) {
    it(`${name}: ${(expectedM / 1_000).toFixed(3)} km`, () => {
      const offM = Math.abs(distanceM(from, to) - expectedM);
      assert.ok(offM <= OFF_M_MAX, `off by ${offM} m`);
      assert.ok(Math.abs(distanceM(to, from) - distanceM(from, to)) < 1e-6);
    });
  }

  it('between any two places is close to that on a sphere, and the same in both directions', () => {
    fc.assert(
      fc.property(place, place, (from, to) => {
        assertNearSphere(from, to);
        assert.ok(Math.abs(distanceM(from, to) - distanceM(to, from)) < 1e-6);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is close to that on a sphere also near the antipode', () => {
    const off = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(place, off, off, (from, north, east) => {
        const to = at(
          Math.max(-90, Math.min(90, north - from.lat)),
          from.lng + east + (from.lng < 0 ? 180 : -180),
        );
        assertNearSphere(from, to);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never longer than a way over a third place', () => {
    fc.assert(
      fc.property(place, place, place, (from, via, to) => {
        assert.ok(distanceM(from, to) <= distanceM(from, via) + distanceM(via, to) + 1e-6);
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
