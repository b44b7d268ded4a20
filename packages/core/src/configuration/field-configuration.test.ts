import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldConfigurationPatch } from '@granary/contract/configuration/field-configuration';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import { applyFieldPatch, initialFieldConfiguration } from './field-configuration.ts';

const initial = initialFieldConfiguration(Date.parse('2026-03-01T12:00:00Z'));
const geofence = [
  { lat: 52, lng: 13 },
  { lat: 52, lng: 13.01 },
  { lat: 52.01, lng: 13.01 },
  { lat: 52.01, lng: 13 },
];
const base = { latitude: 52.005, longitude: 13.005, altitude: 40 };

test('a patch changes what it names and nothing else', () => {
  assert.deepEqual(applyFieldPatch(initial, {}), initial);
  const patch = { motion: { speed_m_s: 3 }, battery: { reserve_percent: 30 }, geofence } as const;
  assert.deepEqual(applyFieldPatch(initial, { ...patch, geofence: geofence.slice() }), {
    ...initial,
    motion: { speed_m_s: 3 },
    battery: { ...initial.battery, reserve_percent: 30 },
    geofence,
  });
});

test('a fence and a base are taken away by null, and only by it', () => {
  const fenced = applyFieldPatch(initial, { geofence, base });
  assert.deepEqual([fenced.geofence, fenced.base], [geofence, base]);
  const same = applyFieldPatch(fenced, { failsafe: { link_loss_action: 'hold' } });
  assert.deepEqual([same.geofence, same.base, same.failsafe.link_loss_action], [geofence, base, 'hold']);
  const free = applyFieldPatch(fenced, { geofence: null, base: null });
  assert.deepEqual([free.geofence, free.base], [null, null]);
});

test('a time with a zone is kept as UTC', () => {
  const { maintenance } = applyFieldPatch(initial, {
    maintenance: { next_scheduled: '2026-06-01T02:00:00+02:00' },
  });
  assert.equal(maintenance.next_scheduled, '2026-06-01T00:00:00.000Z');
});

const REFUSED: readonly (readonly [string, FieldConfigurationPatch, ErrorCode])[] = [
  ['a critical battery above the low one', { thresholds: { critical_battery: 25 } }, 'invalid_input'],
  ['a low battery below the critical one', { thresholds: { low_battery: 10 } }, 'invalid_input'],
  [
    'a fence that crosses itself',
    { geofence: [0, 2, 1, 3].flatMap((i) => geofence[i] ?? []) },
    'invalid_geofence',
  ],
  ['a return without a base', { failsafe: { link_loss_action: 'return_to_base' } }, 'no_base'],
  ['a base outside the fence', { geofence, base: { ...base, latitude: 53 } }, 'outside_geofence'],
];

for (const [name, patch, code] of REFUSED) {
  test(`${name} is refused`, () => {
    assert.throws(
      () => applyFieldPatch(initial, patch),
      (error) => error instanceof Refusal && error.code === code,
    );
  });
}

test('a device without a base holds, and one that returns to its base keeps it', () => {
  assert.deepEqual(new Set(Object.values(initial.failsafe)), new Set(['hold']));
  const failsafe = { link_loss_action: 'return_to_base' } as const;
  const based = applyFieldPatch(initial, { base: { latitude: 52, longitude: 13 }, failsafe });
  assert.deepEqual(based.base, { latitude: 52, longitude: 13, altitude: 0 });
  assert.throws(
    () => applyFieldPatch(based, { base: null }),
    (error) => error instanceof Refusal && error.code === 'no_base',
  );
  const held = applyFieldPatch(based, { base: null, failsafe: { link_loss_action: 'hold' } });
  assert.deepEqual([held.base, held.failsafe.link_loss_action], [null, 'hold']);
});

test('a fence that would leave the base outside is refused', () => {
  const based = applyFieldPatch(initial, { base: { ...base, latitude: 53 } });
  assert.throws(() => applyFieldPatch(based, { geofence }), Refusal);
});
