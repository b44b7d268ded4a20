import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { gridOf, scaleBarOf, tilesOf } from './background.ts';
import {
  bearing,
  distanceM,
  fitted,
  isVisible,
  metresPerPixel,
  moved,
  pointAt,
  screenOf,
  type Viewport,
  zoomed,
} from './projection.ts';

const EMPTY: Viewport = { center: { x: 0.5, y: 0.5 }, scale: 1_000, width: 800, height: 600 };
const FARM = [
  { lat: 52.0203, lng: 8.5327 },
  { lat: 52.0214, lng: 8.5312 },
];
const view = fitted(FARM, EMPTY);
const point = fc.record({
  lat: fc.double({ min: -84, max: 84, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
});
const near = (one: number, other: number, tolerance: number): void =>
  assert.ok(Math.abs(one - other) <= tolerance, `${one} is not ${other}`);

describe('the projection', () => {
  test('a place on the screen is the point that is drawn there', () => {
    fc.assert(
      fc.property(point, point, fc.double({ min: 1, max: 1e6, noNaN: true }), (at, other, factor) => {
        const shown = zoomed(fitted([at], EMPTY), factor);
        const { lat, lng } = pointAt(screenOf(other, shown), shown);
        near(lat, other.lat, 1e-6);
        const turns = (lng - other.lng) / 360;
        near(turns, Math.round(turns), 1e-8);
      }),
    );
  });

  test('all points are visible when the map is fitted to them', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 3 }), (points) => {
        const width = 180;
        const close = points.map(({ lat, lng }) => ({
          lat: 50 + lat / 1_000,
          lng: ((lng + width) % 360) / 1_000,
        }));
        const shown = fitted(close, EMPTY);
        assert.ok(close.every((one) => isVisible(screenOf(one, shown), shown)));
      }),
    );
  });

  test('points on both sides of the date line are beside each other', () => {
    const shown = fitted(
      [
        { lat: -17, lng: 179.999 },
        { lat: -17, lng: -179.999 },
      ],
      EMPTY,
    );
    assert.ok(metresPerPixel(shown) < 2);
    near(screenOf({ lat: -17, lng: 180 }, shown).x, 400, 1);
  });

  test('what is under the pointer stays there', () => {
    const at = { x: 100, y: 450 };
    const before = pointAt(at, view);
    const after = screenOf(before, zoomed(view, 3.7, at));
    near(after.x, at.x, 1e-3);
    near(after.y, at.y, 1e-3);
  });

  test('the ground follows the pointer', () => {
    const [first] = FARM;
    assert.ok(first);
    const before = screenOf(first, view);
    const after = screenOf(first, moved(view, 30, -20));
    near(after.x - before.x, 30, 1e-3);
    near(after.y - before.y, -20, 1e-3);
  });

  test('a map without points stays as it is', () => assert.deepEqual(fitted([], EMPTY), EMPTY));
});

describe('the metre grid', () => {
  test('lines are a round length apart, and as far as the scale says', () => {
    const { stepM, vertical } = gridOf(view);
    assert.match(String(stepM), /^[125]0*$/);
    const [first = 0, second = 0] = vertical;
    near((second - first) * metresPerPixel(view), stepM, stepM / 100);
    assert.ok(second - first >= 71);
  });

  test('lines stay on the ground when the map is moved', () => {
    const [before = 0] = gridOf(view).vertical;
    const after = gridOf(moved(view, 10, 10)).vertical;
    assert.ok(after.some((x) => Math.abs(x - before - 10) < 1e-3));
  });

  test('the bar is a round length', () => {
    const { lengthM, lengthPx } = scaleBarOf(view);
    assert.match(String(lengthM), /^[125]0*$/);
    near(lengthPx * metresPerPixel(view), lengthM, 1e-6);
    assert.ok(lengthPx > 40 && lengthPx <= 120);
  });
});

test('tiles cover the map without gaps', () => {
  const tiles = tilesOf('/tiles/{z}/{x}/{y}.png', view);
  const [first] = tiles;
  assert.match(first?.address ?? '', /^\/tiles\/\d+\/\d+\/\d+\.png$/);
  for (const [x, y] of [
    [0, 0],
    [799, 599],
    [400, 300],
  ] as const) {
    const covering = tiles.filter(
      (tile) => tile.x <= x && tile.y <= y && tile.x + tile.sizePx > x && tile.y + tile.sizePx > y,
    );
    assert.equal(covering.length, 1);
  }
});

test('distances and bearings', () => {
  near(distanceM({ lat: 0, lng: 0 }, { lat: 0, lng: 0.001 }), 111.2, 0.5);
  near(bearing({ lat: 52, lng: 8 }, { lat: 52.001, lng: 8 }), 0, 0.01);
  near(bearing({ lat: 52, lng: 8 }, { lat: 52, lng: 8.001 }), 90, 0.01);
  near(bearing({ lat: 52, lng: 8 }, { lat: 52, lng: 7.999 }), 270, 0.01);
});
