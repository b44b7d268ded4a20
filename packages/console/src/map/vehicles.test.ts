import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extended, headingOf, type TimedPoint, TRACK_MS, trackParts } from './tracks.ts';
import { firstShown, labelsWithRoom, positionOf, shortened } from './vehicles.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2026-11-16T12:00:00Z');
/** Makes one point for each minute, going north; the last one is now. */
const north = (count: number): TimedPoint[] =>
  Array.from({ length: count }, (_, index) => ({
    lat: 52 + index / 10_000,
    lng: 8,
    atMs: NOW_MS - (count - 1 - index) * MINUTE_MS,
  }));

describe('a track', () => {
  test('a newer point extends it, and what is too old is left out', () => {
    const track = north(200);
    const longer = extended(track, { lat: 53, lng: 8, atMs: NOW_MS + MINUTE_MS });
    assert.equal(longer.at(-1)?.lat, 53);
    assert.ok(longer.every(({ atMs }) => atMs >= NOW_MS + MINUTE_MS - TRACK_MS));
  });

  test('a point that is known already changes nothing', () => {
    const track = north(3);
    assert.equal(extended(track, { lat: 53, lng: 8, atMs: NOW_MS }), track);
  });

  test('the heading is that of the last movement, also after it stood still', () => {
    const track = north(3);
    const last = track.at(-1);
    assert.ok(last);
    const standing = [1, 2, 3].map((minutes) => ({ ...last, atMs: last.atMs + minutes * MINUTE_MS }));
    assert.equal(Math.round(headingOf([...track, ...standing]) ?? -1), 0);
    assert.equal(headingOf(standing), null);
    assert.equal(headingOf([]), null);
  });

  test('its parts fade with age and are connected', () => {
    const parts = trackParts(north(100), NOW_MS);
    const strengths = parts.map(({ strength }) => strength);
    assert.deepEqual(strengths, strengths.toSorted());
    assert.equal(strengths.at(-1), 1);
    for (const [index, part] of parts.entries()) {
      const next = parts[index + 1];
      if (next !== undefined) assert.deepEqual(part.points.at(-1), next.points[0]);
    }
  });

  test('silence is a gap', () => {
    const [first, second, third, fourth] = north(4);
    assert.ok(first && second && third && fourth);
    const early = [first, second].map((point) => ({ ...point, atMs: point.atMs - 30 * MINUTE_MS }));
    const parts = trackParts([...early, third, fourth], NOW_MS);
    assert.equal(parts.length, 2);
    assert.deepEqual(parts[1]?.points, [third, fourth]);
  });
});

describe('a position', () => {
  const reading = (value: number, quality: 'good' | 'stale' | 'bad', timestamp: string) => ({
    value,
    unit: 'degree',
    quality,
    timestamp,
  });

  test('needs both coordinates, and has the worse quality and the older time', () => {
    const latitude = reading(52, 'good', '2026-11-16T11:00:00.000Z');
    assert.equal(positionOf({ readings: { latitude } }), null);
    assert.equal(positionOf({}), null);
    const longitude = reading(8, 'stale', '2026-11-16T10:00:00.000Z');
    assert.deepEqual(positionOf({ readings: { latitude, longitude } }), {
      point: { lat: 52, lng: 8 },
      altitude: null,
      quality: 'stale',
      at: '2026-11-16T10:00:00.000Z',
    });
  });
});

describe('labels', () => {
  const label = (id: string, x: number, y: number) => ({ id, text: 'North field', at: { x, y } });
  const placed = (...labels: ReturnType<typeof label>[]) =>
    labelsWithRoom(labels, 400).map(({ id, isLeft }) => `${id}${isLeft ? ' left' : ''}`);

  test('of those that cover each other the first one stays', () => {
    assert.deepEqual(placed(label('a', 100, 100), label('b', 110, 105), label('c', 100, 130)), ['a', 'c']);
  });

  test('where the map ends a label is to the left', () => {
    assert.deepEqual(placed(label('a', 380, 100)), ['a left']);
    assert.deepEqual(placed(label('a', 380, 100), label('b', 300, 100)), ['a left']);
  });

  test('a long name is cut between characters as a person sees them', () => {
    assert.equal(shortened('North field'), 'North field');
    assert.equal(shortened('👩‍🌾'.repeat(40)), `${'👩‍🌾'.repeat(25)}…`);
  });
});

describe('the first view', () => {
  const at = (facility: string, lat: number) => ({
    device: `${facility} ${lat}`,
    facility,
    point: { lat, lng: 8 },
  });

  test('shows everything where the site is small', () => {
    assert.equal(firstShown([at('a', 52), at('b', 52.01)]).length, 2);
  });

  test('shows the facility with the most vehicles where facilities are far apart', () => {
    const shown = firstShown([at('a', 52), at('b', 53), at('b', 53.001)]);
    assert.deepEqual(shown, ['b 53', 'b 53.001']);
    assert.deepEqual(firstShown([]), []);
  });
});
