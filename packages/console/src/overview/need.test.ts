import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needOf } from './need.ts';

const reading = { value: 1, unit: 'kg', timestamp: '2026-11-16T00:00:00Z' };
const calm = { status: 'online', readings: { weight: { ...reading, quality: 'good' } } } as const;
const critical = { severity: 'critical', status: 'active' } as const;
const warning = { severity: 'warning', status: 'cleared' } as const;

test('a device needs what is most urgent of all that it has', () => {
  const facts = { device: calm, alerts: [], isMoving: false };
  assert.equal(needOf(facts), 'nothing');
  assert.equal(needOf({ ...facts, device: { status: 'maintenance' } }), 'nothing');
  assert.equal(needOf({ ...facts, device: { ...calm, status: 'offline' } }), 'silent');
  assert.equal(
    needOf({ ...facts, device: { ...calm, readings: { weight: { ...reading, quality: 'stale' } } } }),
    'silent',
  );
  assert.equal(needOf({ ...facts, device: { ...calm, status: 'offline' }, alerts: [warning] }), 'warning');
  assert.equal(needOf({ ...facts, alerts: [warning], isMoving: true }), 'moving');
  assert.equal(needOf({ ...facts, alerts: [warning, critical], isMoving: true }), 'critical');
});

test('an acknowledged alert needs nothing more', () => {
  const alerts = [{ ...critical, status: 'acknowledged' }] as const;
  assert.equal(needOf({ device: calm, alerts, isMoving: false }), 'nothing');
});
