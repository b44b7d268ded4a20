import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRule, sideOf, valueOfRule, withSide, withValue } from './rules.ts';

test('a rule has exactly one side, and keeps its value when the side changes', () => {
  const below = withSide(
    { sensor_id: 'temperature', above: 30, severity: 'critical', dead_band: 2 },
    'below',
  );
  assert.deepEqual(below, { sensor_id: 'temperature', below: 30, severity: 'critical', dead_band: 2 });
  assert.equal(sideOf(below), 'below');
  assert.deepEqual(withSide(below, 'above').above, 30);
});

test('a value that cannot be read changes nothing', () => {
  const rule = newRule('humidity');
  assert.equal(valueOfRule(withValue(rule, Number.NaN)), 0);
  assert.equal(valueOfRule(withValue(rule, 14.5)), 14.5);
});
