import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MaintenanceRequest } from '@granary/contract/devices/devices';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import { offlineAlertAtMs, offlineFromMs } from '../alerts/observation.ts';
import { changeMaintenance, type Maintenance, maintenanceRecord } from './maintenance.ts';
import { freshnessMs, NEVER_SEEN } from './status.ts';

const NOW_MS = 1_000_000_000_000;
const ADA = { key_id: 'key_1', key_name: 'office', actor: 'Ada' };
const RUNNING: Maintenance = { sinceMs: NOW_MS - MINUTE_MS, untilMs: null, reason: 'gate', by: null };
const OVER: Maintenance = { ...RUNNING, untilMs: NOW_MS - 1 };

const CASES: readonly (readonly [string, Maintenance | null, MaintenanceRequest, Maintenance | null])[] = [
  ['begins', null, { on: true, reason: 'gate' }, { sinceMs: NOW_MS, untilMs: null, reason: 'gate', by: ADA }],
  [
    'begins with an end',
    OVER,
    { on: true, reason: 'motor', until: toIso(NOW_MS + 1_000) },
    { sinceMs: NOW_MS, untilMs: NOW_MS + 1_000, reason: 'motor', by: ADA },
  ],
  [
    'goes on with another reason',
    RUNNING,
    { on: true, reason: 'motor' },
    { ...RUNNING, reason: 'motor', by: ADA },
  ],
  ['ends', RUNNING, { on: false }, { ...RUNNING, untilMs: NOW_MS }],
  ['that is over stays over', OVER, { on: false }, OVER],
  ['that never began stays so', null, { on: false }, null],
];

const REFUSED: readonly MaintenanceRequest[] = [
  { on: true },
  { on: true, reason: 'gate', until: toIso(NOW_MS) },
  { on: false, until: toIso(NOW_MS + 1_000) },
];

describe('maintenance', () => {
  for (const [name, before, request, after] of CASES) {
    it(name, () => assert.deepEqual(changeMaintenance(before, request, ADA, NOW_MS), after));
  }

  for (const request of REFUSED) {
    it(`is not changed by ${JSON.stringify(request)}`, () =>
      assert.throws(() => changeMaintenance(RUNNING, request, ADA, NOW_MS), { code: 'invalid_input' }));
  }

  it('is shown while it lasts', () => {
    assert.deepEqual(maintenanceRecord(RUNNING, NOW_MS), {
      reason: 'gate',
      since: toIso(RUNNING.sinceMs),
      until: null,
      by: null,
    });
    assert.equal(maintenanceRecord(OVER, NOW_MS), null);
  });

  it('gives a silent device its usual time after the end', () => {
    const presence = { ...NEVER_SEEN, lastSeenAtMs: RUNNING.sinceMs, linkDownAtMs: RUNNING.sinceMs + 1 };
    const after = { ...presence, maintenance: { ...RUNNING, untilMs: NOW_MS } };
    assert.equal(offlineFromMs(after, 0), NOW_MS + freshnessMs(after) + 1);
    assert.equal(offlineAlertAtMs(after, 0), NOW_MS + freshnessMs(after) + 1 + after.offlineDelayMs);
  });
});
