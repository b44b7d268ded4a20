import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSiloConfigurationPatch } from '../configuration/silo-configuration.ts';
import { checkSiloRegistration } from '../devices/devices.ts';
import { siloScale } from '../profiles/silo-scale.ts';
import { READINGS_PER_MESSAGE_MAX } from '../telemetry/telemetry.ts';

const silo = {
  device_id: 'silo-1',
  name: 'Silo 1',
  model: 'GS-100',
  location: { facility: 'north', zone: 'a' },
  capacity: { max: 1_000, unit: 'kg' },
};

test('a whole registration is accepted', () => {
  assert.deepEqual(checkSiloRegistration.faults(silo), []);
  assert.equal(checkSiloRegistration.accepts(silo), true);
});

const REGISTRATIONS: readonly (readonly [object, string])[] = [
  [{ device_id: 'a/b' }, '/device_id'],
  [{ device_id: '' }, '/device_id'],
  [{ device_id: 'x'.repeat(65) }, '/device_id'],
  [{ name: '' }, '/name'],
  [{ location: { facility: 'north' } }, '/location/zone'],
  [{ location: { facility: 'north', zone: 'a', row: 1 } }, '/location/row'],
  [{ capacity: { max: 0, unit: 'kg' } }, '/capacity/max'],
  [{ capacity: { max: Number.NaN, unit: 'kg' } }, '/capacity/max'],
  [{ capacity: { max: 1, unit: 'stone' } }, '/capacity/unit'],
  [{ colour: 'green' }, '/colour'],
];

for (const [change, path] of REGISTRATIONS) {
  test(`a registration with ${JSON.stringify(change).slice(0, 60)} has a fault at ${path}`, () => {
    const paths = checkSiloRegistration.faults({ ...silo, ...change }).map((fault) => fault.path);
    assert.deepEqual(paths, [path]);
  });
}

const TELEMETRY: readonly (readonly [unknown, boolean])[] = [
  [{ ts: 1, weight: 1 }, true],
  [{ ts: '2026-01-01T00:00:00Z', humidity: 1 }, true],
  [[{ ts: 1, weight: 1 }], true],
  [Array(READINGS_PER_MESSAGE_MAX).fill({ ts: 1, weight: 1 }), true],
  [Array(READINGS_PER_MESSAGE_MAX + 1).fill({ ts: 1, weight: 1 }), false],
  [[], false],
  [{ ts: 1 }, false],
  [{ weight: 1 }, false],
  [{ ts: 1.5, weight: 1 }, false],
  [{ ts: 'yesterday', weight: 1 }, false],
  [{ ts: 1, weight: '1' }, false],
  [{ ts: 1, weight: Number.POSITIVE_INFINITY }, false],
  [{ ts: 1, soil_moisture: 1 }, false],
  [null, false],
];

for (const [value, expected] of TELEMETRY) {
  test(`silo telemetry ${JSON.stringify(value).slice(0, 60)} is ${expected ? 'accepted' : 'refused'}`, () => {
    assert.equal(siloScale.checkTelemetry.accepts(value), expected);
    if (!expected) assert.notEqual(siloScale.checkTelemetry.faults(value).length, 0);
  });
}

test('a configuration patch may name any part, but nothing unknown', () => {
  assert.equal(checkSiloConfigurationPatch.accepts({ thresholds: { low_level: 5 } }), true);
  assert.equal(checkSiloConfigurationPatch.accepts({}), true);
  for (const wrong of [
    { thresholds: { low: 5 } },
    { thresholds: { low_level: '5' } },
    { thresholds: { low_level: 101 } },
    { operation_limits: { max_feed_rate: 0 } },
    { operation_limits: { rate_unit: 'stone/h' } },
    { maintenance: { next_scheduled: 'soon' } },
    { maintenance: { interval_hours: -1 } },
    { nickname: 'x' },
    [],
  ]) {
    assert.equal(checkSiloConfigurationPatch.accepts(wrong), false, JSON.stringify(wrong));
    assert.notDeepEqual(checkSiloConfigurationPatch.faults(wrong), []);
  }
});
