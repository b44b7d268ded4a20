import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_PLACE, endpointExample, placeOf } from './bridge-draft.ts';

const SCALE = { ...EMPTY_PLACE, mapping: 'modbus-example', endpoint: ' tcp://10.0.4.20:502 ' };

test('a place is what was typed, without what is empty', () => {
  assert.deepEqual(placeOf(SCALE), { mapping: 'modbus-example', endpoint: 'tcp://10.0.4.20:502' });
  const full = { ...SCALE, unit: '3', options: 'address = 24e1\n\nnetwork=chirpstack' };
  assert.deepEqual(placeOf(full), {
    mapping: 'modbus-example',
    endpoint: 'tcp://10.0.4.20:502',
    unit: 3,
    options: { address: '24e1', network: 'chirpstack' },
  });
});

test('a place that is not complete is none', () => {
  for (const wrong of [
    { mapping: '' },
    { endpoint: '10.0.4.20' },
    { endpoint: 'tcp://' },
    { unit: 'three' },
    { unit: '-1' },
    { options: 'address' },
    { options: 'Address=1' },
  ]) {
    assert.equal(placeOf({ ...SCALE, ...wrong }), null, JSON.stringify(wrong));
  }
});

test('every protocol has an example of its address', () => {
  assert.match(endpointExample(undefined), /^tcp:/);
});
