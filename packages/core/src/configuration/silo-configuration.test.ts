import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SiloConfigurationPatch } from '@granary/contract/configuration/silo-configuration';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import { applyPatch, initialConfiguration } from './silo-configuration.ts';

const initial = initialConfiguration(Date.parse('2026-03-01T12:00:00Z'));

test('a patch changes what it names and nothing else', () => {
  const changed = applyPatch(initial, {
    thresholds: { low_level: 25 },
    operation_limits: { max_feed_rate: 7 },
  });
  assert.deepEqual(changed, {
    thresholds: { ...initial.thresholds, low_level: 25 },
    operation_limits: { ...initial.operation_limits, max_feed_rate: 7 },
    maintenance: initial.maintenance,
    reporting: initial.reporting,
    alarms: initial.alarms,
    rules: initial.rules,
  });
  assert.deepEqual(applyPatch(initial, {}), initial);
});

test('a time with a zone is kept as UTC', () => {
  const { maintenance } = applyPatch(initial, {
    maintenance: { next_scheduled: '2026-06-01T02:00:00+02:00' },
  });
  assert.equal(maintenance.next_scheduled, '2026-06-01T00:00:00.000Z');
});

const THRESHOLDS: readonly (readonly [
  SiloConfigurationPatch['thresholds'] & object,
  ErrorCode | 'accepted',
])[] = [
  [{ low_level: 90 }, 'invalid_input'],
  [{ low_level: 91 }, 'invalid_input'],
  [{ high_level: 20 }, 'invalid_input'],
  [{ critical_level: 20 }, 'critical_level_between_thresholds'],
  [{ critical_level: 50 }, 'critical_level_between_thresholds'],
  [{ critical_level: 90 }, 'critical_level_between_thresholds'],
  [{ critical_level: 19.9 }, 'accepted'],
  [{ critical_level: 90.1 }, 'accepted'],
  [{ low_level: 5 }, 'critical_level_between_thresholds'],
  [{ low_level: 5, critical_level: 2 }, 'accepted'],
];

for (const [thresholds, outcome] of THRESHOLDS) {
  test(`thresholds ${JSON.stringify(thresholds)} over the initial ones: ${outcome}`, () => {
    const apply = () => applyPatch(initial, { thresholds });
    if (outcome === 'accepted')
      assert.deepEqual(apply().thresholds, { ...initial.thresholds, ...thresholds });
    else assert.throws(apply, (error) => error instanceof Refusal && error.code === outcome);
  });
}

test('reporting and alarms have defaults, and a patch of one of their values keeps the others', () => {
  assert.deepEqual(initial.reporting, { interval_s: 10, offline_delay_s: 30 });
  assert.deepEqual(initial.alarms, { dead_band: 1, on_delay_s: 0, off_delay_s: 5 });
  const changed = applyPatch(initial, { reporting: { interval_s: 300 }, alarms: { on_delay_s: 2 } });
  assert.deepEqual(changed.reporting, { interval_s: 300, offline_delay_s: 30 });
  assert.deepEqual(changed.alarms, { dead_band: 1, on_delay_s: 2, off_delay_s: 5 });
});
