import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toIso } from '@granary/contract/time';
import { shiftStartMs } from './shifts.ts';

const startOf = (now: string, zone = 'Europe/Berlin'): string =>
  toIso(shiftStartMs(Date.parse(now), zone)).slice(0, 16);

test('a shift begins at 06:00, 14:00 or 22:00 of the local day, also when the clocks are changed', () => {
  assert.equal(startOf('2026-11-15T05:00:00Z'), '2026-11-15T05:00');
  assert.equal(startOf('2026-11-15T04:59:59Z'), '2026-11-14T21:00');
  assert.equal(startOf('2026-11-15T12:59:00Z'), '2026-11-15T05:00');
  assert.equal(startOf('2026-11-15T13:00:00Z'), '2026-11-15T13:00');
  assert.equal(startOf('2026-11-15T22:30:00Z'), '2026-11-15T21:00');
  // On 29 March 2026 the clocks are put forward at 01:00 UTC.
  assert.equal(startOf('2026-03-29T03:00:00Z'), '2026-03-28T21:00');
  assert.equal(startOf('2026-03-29T04:00:00Z'), '2026-03-29T04:00');
  // 13:45 there.
  assert.equal(startOf('2026-11-15T00:00:00Z', 'Pacific/Chatham'), '2026-11-14T16:15');
});
