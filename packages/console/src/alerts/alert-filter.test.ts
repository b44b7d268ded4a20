import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetAlert } from '@granary/contract/fleet/records';
import { parseRoute } from '../routes.ts';
import { alertFilterOf, chosenAlerts, queryOf } from './alert-filter.ts';

const alert = (alert_id: string, fields: Partial<FleetAlert> = {}): FleetAlert => ({
  alert_id,
  device_id: 'silo-1',
  type: 'low_level',
  severity: 'warning',
  message: 'low',
  status: 'active',
  current_value: 1,
  threshold: 2,
  created_at: '2026-11-16T01:00:00Z',
  note: null,
  acknowledged_by: null,
  acknowledged_at: null,
  acknowledged_with: null,
  cleared_at: null,
  resolved_at: null,
  shelved_until: null,
  shelve_reason: null,
  shelved_by: null,
  shelved_with: null,
  ...fields,
});

const ALERTS = [
  alert('seen', { severity: 'critical', status: 'acknowledged', created_at: '2026-11-16T05:00:00Z' }),
  alert('old'),
  alert('new', { status: 'cleared', created_at: '2026-11-16T02:00:00Z' }),
  alert('worst', { severity: 'critical', created_at: '2026-11-16T00:00:00Z', device_id: 'silo-2' }),
];

const shown = (address: string): string[] =>
  chosenAlerts(ALERTS, alertFilterOf(new URLSearchParams(address)), (deviceId) =>
    deviceId === 'silo-1' ? 'North' : undefined,
  ).map(({ alert_id }) => alert_id);

test('an alert that waits for a person comes first, then the more severe, then the newer', () => {
  assert.deepEqual(shown(''), ['worst', 'new', 'old', 'seen']);
});

test('the address filters; what it names that does not exist is ignored', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['list=unacknowledged', ['worst', 'new', 'old']],
    ['severity=critical', ['worst', 'seen']],
    ['facility=North', ['new', 'old', 'seen']],
    ['device=silo-2', ['worst']],
    ['list=lost&severity=loud', ['worst', 'new', 'old', 'seen']],
  ];
  for (const [address, expected] of cases) assert.deepEqual(shown(address), expected, address);
});

test('the service is asked for what the address names', () => {
  const query = (address: string) => queryOf(alertFilterOf(new URLSearchParams(address)));
  assert.deepEqual(query('list=history'), { status: 'all' });
  assert.deepEqual(query('list=shelved&severity=info&facility=North&device=silo-1'), {
    status: 'shelved',
    severity: 'info',
    facility: 'North',
    device_id: 'silo-1',
  });
});

test('the links in messages about an alert lead to its device, and for one that is over to its history', () => {
  const filter = (address: string) => alertFilterOf(parseRoute(address).query);
  const ofDevice = { severity: null, facility: null, device: 'silo-07' };
  assert.equal(parseRoute('#/alerts?device=silo-07').view, 'alerts');
  assert.deepEqual(filter('#/alerts?device=silo-07'), { list: 'open', ...ofDevice });
  assert.deepEqual(filter('#/alerts?device=silo-07&list=history'), { list: 'history', ...ofDevice });
});
