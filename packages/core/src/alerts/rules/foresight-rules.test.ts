import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messageOf } from '@granary/contract/sentences/english';
import { HOUR_MS } from '@granary/contract/time';
import { type ForesightAlarms, foresightConditions } from './foresight-rules.ts';

const NOW_MS = Date.UTC(2026, 4, 20, 10);
const LOSS = {
  type: 'unexplained_loss',
  sensorId: '',
  result: 'fail',
  severity: 'critical',
  code: 'steady_loss',
  fromMs: NOW_MS - HOUR_MS,
  toMs: NOW_MS,
  values: { loss_kg_per_day: 51, nights: 7 },
  limit: 40,
} as const;
const ALARMS: ForesightAlarms = { knownDays: 14, predictedEmpty: null, failed: [], inconclusive: [] };

const conditionOf = (type: string, alarms: ForesightAlarms | null) => {
  const found = foresightConditions(alarms).find((condition) => condition.type === type);
  assert.ok(found !== undefined);
  return found;
};

describe('the alarms of a forecast', () => {
  it('are one condition for each type, absent without a forecast', () => {
    const conditions = foresightConditions(null);
    assert.equal(new Set(conditions.map(({ type }) => type)).size, 7);
    assert.ok(conditions.every(({ state }) => state === 'absent'));
  });

  it('tell of a loss with its numbers, and only hint while few days are known', () => {
    const told = conditionOf('unexplained_loss', { ...ALARMS, failed: [LOSS] });
    assert.ok(told.state === 'present');
    assert.deepEqual([told.severity, told.currentValue, told.threshold], ['critical', 51, 40]);
    assert.match(messageOf(told.message).message, /loses 51 kg a day/);
    const early = conditionOf('unexplained_loss', { ...ALARMS, knownDays: 13, failed: [LOSS] });
    assert.ok(early.state === 'present' && early.severity === 'info');
  });

  it('keep an alert while the data do not tell', () => {
    assert.equal(conditionOf('no_flow', { ...ALARMS, inconclusive: ['no_flow'] }).state, 'indeterminate');
  });

  it('say how soon a silo may run empty', () => {
    const predictedEmpty = { severity: 'warning', madeAtMs: NOW_MS, p10Ms: NOW_MS + 30 * HOUR_MS } as const;
    const told = conditionOf('predicted_empty', { ...ALARMS, predictedEmpty });
    assert.ok(told.state === 'present');
    assert.deepEqual([told.severity, told.currentValue], ['warning', 30]);
    assert.match(messageOf(told.message).message, /^It may run empty in \S+ \w+, and no delivery/);
  });
});
