import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetAlert } from '@granary/contract/fleet/records';
import { summaryOf } from './summary.ts';

const alert = (alert_id: string, severity: FleetAlert['severity'], status: FleetAlert['status'] = 'active') =>
  ({ alert_id, severity, status, created_at: `2026-11-17T00:00:0${alert_id}Z` }) as FleetAlert;

test('the newest critical alert is told, or the newest warning where there is none', () => {
  const warnings = [alert('1', 'warning'), alert('3', 'warning'), alert('4', 'info')];
  const critical = [alert('0', 'critical'), alert('2', 'critical'), alert('5', 'critical', 'acknowledged')];
  assert.equal(summaryOf([...warnings, ...critical]).foremost?.alert_id, '2');
  assert.equal(summaryOf(warnings).foremost?.alert_id, '3');
  assert.equal(summaryOf([alert('4', 'info')]).foremost, null);
});
