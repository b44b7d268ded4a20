import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fencesOf } from './fence-file.ts';

const RING = [
  [8, 52],
  [8.01, 52],
  [8.01, 52.01],
  [8, 52],
];
const CORNERS = RING.slice(0, 3).map(([lng, lat]) => ({ lat, lng }));
const noXml = (): Document => assert.fail('it is no XML');
const read = (value: unknown) => fencesOf(typeof value === 'string' ? value : JSON.stringify(value), noXml);
const polygon = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings });
const faultOf = (value: unknown) => {
  const found = read(value);
  return typeof found === 'string' ? found : found.map(({ fault }) => fault).join();
};

test('the polygons of a GeoJSON file are fences, with their names', () => {
  const feature = { type: 'Feature', properties: { name: 'Home field' }, geometry: polygon(RING) };
  const many = { type: 'MultiPolygon', coordinates: [[RING], [RING]] };
  const point = { type: 'Feature', properties: null, geometry: { type: 'Point', coordinates: [8, 52] } };
  const features = [feature, { type: 'Feature', properties: {}, geometry: many }, point];
  const found = read({ type: 'FeatureCollection', features });
  assert.deepEqual(found, [
    { name: 'Home field', corners: CORNERS, fault: null },
    { name: null, corners: CORNERS, fault: null },
    { name: null, corners: CORNERS, fault: null },
  ]);
});

test('what is no fence is refused', () => {
  const utm = RING.map(([lng = 0, lat = 0]) => [lng * 50_000, lat * 100_000]);
  const long = Array.from({ length: 201 }, (_, n) => [n / 10, 52]);
  assert.equal(faultOf('{'), 'unreadable');
  assert.equal(faultOf({ type: 'Point', coordinates: [8, 52] }), 'noPolygon');
  assert.equal(faultOf(polygon(utm)), 'notDegrees');
  assert.equal(
    faultOf(
      polygon([
        [8, 'x'],
        [8, 52],
        [9, 52],
      ]),
    ),
    'notDegrees',
  );
  assert.equal(
    faultOf(
      polygon([
        [8, 52],
        [9, 52],
        [8, 52],
      ]),
    ),
    'tooFew',
  );
  assert.equal(faultOf(polygon(long)), 'tooMany');
  assert.equal(faultOf(polygon(RING, RING)), 'holes');
  assert.equal(faultOf({ type: 'Polygon', coordinates: 7 }), 'tooFew');
});
