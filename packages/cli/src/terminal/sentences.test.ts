import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@granary/client';
import { ownZone } from '@granary/common/time-text';
import { sentence } from '@granary/contract/sentences/codes';
import { messageOf } from '@granary/contract/sentences/english';
import { zonesOfFacilities } from '../access/site-zones.ts';
import { messageText } from './sentences.ts';

const DUE = messageOf(sentence('maintenance_overdue', { due: '2026-07-15T20:30:00.000Z' }));
/** The terminal of the tests has the time zone of one of these two. */
const [elsewhere, elsewhereText] =
  ownZone() === 'Asia/Tokyo'
    ? (['America/Chicago', '2026-07-15 15:30 (America/Chicago)'] as const)
    : (['Asia/Tokyo', '2026-07-16 05:30 (Asia/Tokyo)'] as const);

test('a time in a message is by the clocks of the site, which are named where those of the terminal differ', () => {
  assert.equal(messageText(DUE, elsewhere), `Maintenance was due at ${elsewhereText}`);
  assert.equal(messageText(DUE, ownZone()), messageText(DUE));
  assert.doesNotMatch(messageText(DUE), /\(/);
});

test('a facility has the clocks that its silos share, else those of the service, else those of the terminal', async () => {
  const facilities = [
    { facility: 'north', time_zones: ['Europe/Berlin'] },
    { facility: 'mixed', time_zones: ['America/Chicago', 'Europe/Berlin'] },
  ];
  const zoneOf = await zonesOfFacilities({
    fleet: { timeZones: async () => ({ service: 'America/Denver', facilities }) },
  });
  assert.deepEqual(
    ['north', 'west', undefined, 'mixed'].map((facility) => zoneOf(facility)),
    ['Europe/Berlin', 'America/Denver', 'America/Denver', ownZone()],
  );
  const unknown = new ApiError({ status: 404, code: 'route_not_found', message: 'there is no such route' });
  const before = await zonesOfFacilities({ fleet: { timeZones: () => Promise.reject(unknown) } });
  assert.equal(before('north'), ownZone());
});
