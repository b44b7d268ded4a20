import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DevicePatch } from '@granary/contract/devices/devices';
import fc from 'fast-check';
import { type ChangeableDevice, type ChangedField, changeDevice, changedFields } from './change-device.ts';

const DEVICE: ChangeableDevice = {
  name: 'Silo 7',
  model: 'GS-100',
  firmwareVersion: '1.0',
  facility: 'north',
  zone: 'a',
  capacityKg: 1_000,
  sensorDocument: null,
  labels: { product: 'rye', season: '2026' },
};
const CO2 = { sensor_id: 'co2', type: 'co2', unit: 'ppm' };

const CASES: readonly (readonly [DevicePatch, Partial<ChangeableDevice>, readonly ChangedField[]])[] = [
  [{}, {}, []],
  [{ name: 'Silo 7' }, {}, []],
  [{ name: 'Reserve' }, { name: 'Reserve' }, ['name']],
  [
    { model: 'GS-200', firmware_version: '' },
    { model: 'GS-200', firmwareVersion: '' },
    ['model', 'firmware_version'],
  ],
  [{ location: {} }, {}, []],
  [{ location: { zone: 'b' } }, { zone: 'b' }, ['location']],
  [{ location: { facility: 'south' } }, { facility: 'south' }, ['location']],
  [{ labels: {} }, {}, []],
  [{ labels: { product: 'rye', tank: null } }, {}, []],
  [{ labels: { organic: 'yes', season: null } }, { labels: { organic: 'yes', product: 'rye' } }, ['labels']],
  [{ capacity: { max: 2_000, unit: 'kg' } }, { capacityKg: 2_000 }, ['capacity']],
];

describe('a changed device', () => {
  for (const [patch, expected, fields] of CASES) {
    it(`after ${JSON.stringify(patch)} differs in ${fields.join(', ') || 'nothing'}`, () => {
      const after = changeDevice(DEVICE, patch);
      assert.deepEqual(after, { ...DEVICE, ...expected });
      assert.deepEqual(changedFields(DEVICE, after), fields);
    });
  }

  it('has the declared sensors, and differs in them only if they differ', () => {
    const after = changeDevice(DEVICE, { sensors: [CO2] });
    assert.deepEqual(changedFields(DEVICE, after), ['sensors']);
    assert.deepEqual(changedFields(after, changeDevice(after, { sensors: [CO2] })), []);
  });

  it('does not change when the same patch is applied again', () => {
    const text = fc.constantFrom('a', 'b', 'Silo 7');
    const patch = fc.record(
      { name: text, model: text, location: fc.record({ facility: text, zone: text }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(patch, (change) => {
        const once = changeDevice(DEVICE, change);
        assert.deepEqual(changedFields(once, changeDevice(once, change)), []);
      }),
    );
  });
});
