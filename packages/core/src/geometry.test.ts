import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Geofence } from '@granary/contract/configuration/field-configuration';
import { Refusal } from '@granary/contract/errors';
import type { Point } from '@granary/contract/positions';
import fc from 'fast-check';
import geographiclib from 'geographiclib-geodesic';
import { isInside, refuseBadFence, staysInside } from './geometry.ts';

const at = (lat: number, lng: number): Point => ({ lat, lng });

function destination(from: Point, distanceM: number, bearingDegrees: number): Point {
  const { WGS84 } = geographiclib.Geodesic;
  const { lat2 = Number.NaN, lon2 = Number.NaN } = WGS84.Direct(
    from.lat,
    from.lng,
    bearingDegrees,
    distanceM,
  );
  return at(lat2, lon2);
}

const around = (middle: Point, sizeM: number, bearings: readonly number[]): Geofence =>
  bearings.map((bearingDegrees) => destination(middle, sizeM, bearingDegrees));

const FIELD = [at(52, 13), at(52, 13.01), at(52.01, 13.01), at(52.01, 13)];
const FIJI = [at(-17, 179.99), at(-17, -179.99), at(-17.02, -179.99), at(-17.02, 179.99)];
const NORTH_POLE = [at(89.9, 0), at(89.9, 90), at(89.9, 180), at(89.9, -90)];
const SOUTH_POLE = [at(-89.9, 45), at(-89.9, 135), at(-89.9, -135), at(-89.9, -45)];
/** An L shape: a square without its upper right quarter. */
const ELL = [at(0, 0), at(0, 0.02), at(0.01, 0.02), at(0.01, 0.01), at(0.02, 0.01), at(0.02, 0)];

const CHANNEL_LAYOUT: readonly (readonly [string, Geofence, Point, boolean])[] = [
  ['the middle of a field', FIELD, at(52.005, 13.005), true],
  ['a corner', FIELD, at(52, 13), true],
  ['an edge', FIELD, at(52.005, 13), true],
  ['a millimetre beyond an edge', FIELD, at(52.005, 12.99999999), true],
  ['ten centimetres beyond an edge', FIELD, at(52.005, 12.9999985), false],
  ['level with a corner, outside', FIELD, at(52, 12.99), false],
  ['the other side of the earth', FIELD, at(-52.005, -166.995), false],
  ['the antimeridian', FIJI, at(-17.01, 180), true],
  ['the antimeridian by its other name', FIJI, at(-17.01, -180), true],
  ['east of it', FIJI, at(-17.01, -179.995), true],
  ['west of it', FIJI, at(-17.01, 179.995), true],
  ['too far east of it', FIJI, at(-17.01, -179.98), false],
  ['Greenwich', FIJI, at(-17.01, 0), false],
  ['the north pole', NORTH_POLE, at(90, 123), true],
  ['beside the north pole', NORTH_POLE, at(89.95, -33), true],
  ['behind an edge at the north pole', NORTH_POLE, at(89.9, 45), false],
  ['the south pole', SOUTH_POLE, at(-90, 0), true],
  ['away from the south pole', SOUTH_POLE, at(-89.8, 10), false],
  ['the foot of the L', ELL, at(0.005, 0.015), true],
  ['the notch of the L', ELL, at(0.015, 0.015), false],
  ['the inner corner of the L', ELL, at(0.01, 0.01), true],
];

describe('a place and a fence', () => {
  for (const [name, fence, place, expected] of CHANNEL_LAYOUT) {
    it(`${name} is ${expected ? 'inside' : 'outside'}`, () => {
      assert.equal(isInside(fence, place), expected);
      assert.equal(isInside(fence.toReversed(), place), expected);
    });
  }

  it('agree wherever the fence stands', () => {
    const lat = fc.double({ min: -90, max: 90, noNaN: true });
    const lng = fc.double({ min: -180, max: 180, noNaN: true });
    const bearing = fc.double({ min: 0, max: 360, noNaN: true });
    fc.assert(
      fc.property(lat, lng, bearing, fc.double({ min: 10, max: 50_000, noNaN: true }), (...given) => {
        const [middleLat, middleLng, bearingDegrees, sizeM] = given;
        const middle = at(middleLat, middleLng);
        const fence = around(middle, sizeM, [0, 60, 120, 180, 240, 300]);
        refuseBadFence(fence);
        assert.equal(isInside(fence, destination(middle, sizeM * 0.85, bearingDegrees)), true);
        assert.equal(isInside(fence, destination(middle, sizeM * 1.01, bearingDegrees)), false);
      }),
      { numRuns: 500 },
    );
  });
});

const WAYS: readonly (readonly [string, Geofence, Point, Point, boolean])[] = [
  ['within a field', FIELD, at(52.001, 13.001), at(52.009, 13.009), true],
  ['along an edge', FIELD, at(52, 13), at(52.01, 13), true],
  ['out of a field', FIELD, at(52.001, 13.001), at(52.02, 13.001), false],
  ['into a field', FIELD, at(52.02, 13.001), at(52.001, 13.001), false],
  ['nowhere', FIELD, at(52.001, 13.001), at(52.001, 13.001), true],
  ['over the antimeridian', FIJI, at(-17.01, 179.995), at(-17.01, -179.995), true],
  ['over the pole', NORTH_POLE, at(89.95, 10), at(89.95, -170), true],
  ['around the corner of the L', ELL, at(0.005, 0.019), at(0.019, 0.005), false],
  ['past the corner of the L', ELL, at(0.005, 0.012), at(0.012, 0.005), true],
  ['through the corner of the L', ELL, at(0.005, 0.015), at(0.015, 0.005), true],
];

describe('a way and a fence', () => {
  for (const [name, fence, from, to, expected] of WAYS) {
    it(`${name} ${expected ? 'stays inside' : 'leads outside'}`, () => {
      assert.equal(staysInside(fence, from, to), expected);
      assert.equal(staysInside(fence, to, from), expected);
    });
  }
});

const FENCES: readonly (readonly [string, Geofence, boolean])[] = [
  ['a field', FIELD, true],
  ['a field over the antimeridian', FIJI, true],
  ['a pole', NORTH_POLE, true],
  ['an L', ELL, true],
  ['a triangle', FIELD.slice(1), true],
  ['a bow tie', [at(0, 0), at(0.01, 0.01), at(0, 0.01), at(0.01, 0)], false],
  [
    'a bow tie over the antimeridian',
    [at(0, 179.99), at(0.01, -179.99), at(0, -179.99), at(0.01, 179.99)],
    false,
  ],
  ['a line', [at(0, 0), at(0, 0.01), at(0, 0.02)], false],
  ['a line to and fro', [at(0, 0), at(0, 0.02), at(0, 0.01)], false],
  ['a way back', [at(0, 0), at(0, 0.02), at(0, 0.01), at(0.01, 0.01)], false],
  ['a way back beyond', [at(0, 0), at(0, 0.01), at(0, -0.01), at(0.01, 0)], false],
  ['a spike', [...FIELD, at(52.005, 13), at(52.005, 12.9), at(52.005, 13)], false],
  ['a place named twice in a row', [at(52, 13), ...FIELD], false],
  ['a place visited twice', [at(0, 0), at(0, 0.01), at(0.01, 0), at(0, 0), at(-0.01, -0.01)], false],
  ['half the earth', [at(0, 0), at(0, 120), at(0, -120)], false],
  ['a continent', [at(0, 0), at(0, 30), at(30, 30)], false],
  ['one place only', [at(1, 1), at(1, 1), at(1, 1)], false],
];

describe('a polygon', () => {
  for (const [name, fence, isGood] of FENCES) {
    it(`of ${name} is ${isGood ? 'a' : 'no'} fence`, () => {
      if (isGood) refuseBadFence(fence);
      else {
        assert.throws(
          () => refuseBadFence(fence),
          (error) => error instanceof Refusal && error.code === 'invalid_geofence',
        );
      }
    });
  }
});
