import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetAlert } from '@granary/contract/fleet';
import { NewCritical, pageSigns } from './alert-signals.ts';

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

const signs = (critical: number, warning: number, info: number) =>
  pageSigns({ unacknowledged: { critical, warning, info } });

test('without alerts title and icon are plain', () => {
  assert.deepEqual(signs(0, 0, 0), { title: 'Granary', icon: '/icon.svg' });
});

test('the title has the count of all, and the icon the form of the worst', () => {
  const { title, icon } = signs(0, 3, 9);
  assert.equal(title, '(12) Granary');
  assert.match(decodeURIComponent(icon), /#ffc02e.*M32 0.*>12</);
  assert.match(decodeURIComponent(signs(1, 3, 9).icon), /#a30018/);
  assert.match(decodeURIComponent(signs(0, 0, 1_000).icon), /circle.*>99</);
});
