import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedZones, zoneOfPlace } from './page-zone.ts';

const of = (facility: string, ...time_zones: string[]) => ({ facility, time_zones });

test('a place is told about by the clocks that its silos share, else by those of the service, and by none where they differ', () => {
  const berlin = { service: 'UTC', facilities: [of('North', 'Europe/Berlin'), of('South', 'Europe/Berlin')] };
  assert.equal(zoneOfPlace(berlin, null), 'Europe/Berlin');
  assert.equal(zoneOfPlace(berlin, 'South'), 'Europe/Berlin');
  assert.equal(zoneOfPlace(berlin, 'West'), 'UTC');
  const both = {
    service: 'UTC',
    facilities: [of('North', 'Asia/Kathmandu'), of('South', 'America/St_Johns')],
  };
  assert.equal(zoneOfPlace(both, null), null);
  assert.deepEqual(namedZones(both, null), ['Asia/Kathmandu', 'America/St_Johns']);
  assert.equal(zoneOfPlace(both, 'North'), 'Asia/Kathmandu');
  assert.equal(
    zoneOfPlace({ service: 'UTC', facilities: [of('North', 'Europe/Berlin', 'UTC')] }, 'North'),
    null,
  );
});

test('clocks of a zone that the browser does not know are not guessed', () => {
  const unknown = { service: 'UTC', facilities: [of('North', 'Europe/Nowhere')] };
  assert.equal(zoneOfPlace(unknown, 'North'), null);
});
