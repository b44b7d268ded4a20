import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GEOFENCE_POINTS_MAX } from '@granary/contract/configuration/field-configuration';
import { fenceDraft, geofenceOf, withCorner, withMovedCorner, withoutCorner } from './fence-draft.ts';

const SQUARE = [
  { lat: 52, lng: 8 },
  { lat: 52, lng: 8.01 },
  { lat: 52.01, lng: 8.01 },
  { lat: 52.01, lng: 8 },
];

describe('an edited geofence', () => {
  test('stays what it was while nothing is changed', () => {
    assert.deepEqual(geofenceOf(fenceDraft(SQUARE)), SQUARE);
    assert.equal(geofenceOf(fenceDraft(null)), null);
  });

  test('a new corner becomes part of the nearest edge, also of the last one', () => {
    const east = { lat: 52.005, lng: 8.012 };
    assert.deepEqual(geofenceOf(withCorner(fenceDraft(SQUARE), east))?.[2], east);
    const west = { lat: 52.005, lng: 7.999 };
    assert.deepEqual(geofenceOf(withCorner(fenceDraft(SQUARE), west))?.[4], west);
  });

  test('the first corners are in the order in which they are pressed', () => {
    const drawn = SQUARE.slice(0, 3).reduce(withCorner, fenceDraft(null));
    assert.deepEqual(geofenceOf(drawn), SQUARE.slice(0, 3));
  });

  test('corners are moved and removed', () => {
    const moved = withMovedCorner(fenceDraft(SQUARE), 1, { lat: 51.99, lng: 7.99 });
    assert.deepEqual(geofenceOf(moved)?.[0], { lat: 51.99, lng: 7.99 });
    assert.deepEqual(geofenceOf(withoutCorner(fenceDraft(SQUARE), 2)), SQUARE.toSpliced(1, 1));
  });

  test('has no more corners than a configuration may have', () => {
    const full = fenceDraft(
      Array.from({ length: GEOFENCE_POINTS_MAX }, (_, lat) => ({ lat: lat / 10, lng: 8 })),
    );
    assert.equal(withCorner(full, { lat: 1, lng: 1 }).corners.length, GEOFENCE_POINTS_MAX);
  });
});
