import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetAlert } from '@granary/contract/fleet/records';
import { NewCritical } from './new-critical.ts';

const alert = (alert_id: string, fields: Partial<FleetAlert> = {}): FleetAlert =>
  ({ alert_id, severity: 'critical', status: 'active', ...fields }) as FleetAlert;

test('alerts that were there when the page opened are not new, later ones are new once', () => {
  const critical = new NewCritical();
  const heard = [
    [alert('a')],
    [alert('a'), alert('b')],
    [alert('a'), alert('b')],
    [alert('b', { status: 'acknowledged' })],
    [alert('c', { severity: 'warning' })],
    [alert('c')],
    [alert('c', { status: 'cleared' })],
  ].map((alerts) => critical.hasNew(alerts));
  assert.deepEqual(heard, [false, true, false, false, false, true, false]);
});
