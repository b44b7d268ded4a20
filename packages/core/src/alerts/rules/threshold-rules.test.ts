import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import { SECOND_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { NEVER_SEEN } from '../../devices/status.ts';
import type { Sensor } from '../../sensors/sensor.ts';
import { standardSensorsOf } from '../../sensors/standard-sensors.ts';
import { DEFAULT_MONITORING } from '../monitoring.ts';
import { type ThresholdFacts, thresholdConditions, thresholdRanges } from './threshold-rules.ts';
import { stateAt } from './value-range.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const CAPACITY_KG = 3_000;

/** A declared sensor with one decimal, which reports every ten minutes. */
const PROBE: Sensor = {
  sensorId: 'temp_3',
  type: 'temperature',
  unit: 'celsius',
  scale: 10,
  min: -40,
  max: 85,
  lane: { group: 100, slot: 1 },
  reportingIntervalMs: 600 * SECOND_MS,
};

const factsWith = (rules: ThresholdRule[], latest: ThresholdFacts['latest']): ThresholdFacts => ({
  presence: { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, reportedState: 'online' },
  capacityKg: CAPACITY_KG,
  sensors: [...standardSensorsOf('silo_scale'), PROBE],
  latest,
  configuration: { ...DEFAULT_MONITORING, rules },
});

const conditionAt = (rule: ThresholdRule, latest: ThresholdFacts['latest']) => {
  const [condition, ...more] = thresholdConditions(factsWith([rule], latest), NOW_MS);
  assert.deepEqual(more, []);
  return condition;
};

const temperature = (value: number, tsMs = NOW_MS) => ({ temperature: { value, tsMs } });
const weight = (value: number) => ({ weight: { value, tsMs: NOW_MS } });

const WARM: ThresholdRule = { sensor_id: 'temperature', above: 30, severity: 'warning', dead_band: 0.5 };
const COLD: ThresholdRule = { sensor_id: 'temperature', below: 5, severity: 'info', dead_band: 0.5 };

describe('a threshold rule', () => {
  const cases: readonly [name: string, rule: ThresholdRule, stored: number, state: string][] = [
    ['is present at the threshold', WARM, 30_000, 'present'],
    ['is present above it', WARM, 45_000, 'present'],
    ['is indeterminate in the dead band', WARM, 29_999, 'indeterminate'],
    ['is indeterminate at the end of the dead band', WARM, 29_500, 'indeterminate'],
    ['is absent beyond the dead band', WARM, 29_499, 'absent'],
    ['is present at a lower threshold', COLD, 5_000, 'present'],
    ['is present below it', COLD, -20_000, 'present'],
    ['is indeterminate in its dead band', COLD, 5_500, 'indeterminate'],
    ['is absent above its dead band', COLD, 5_501, 'absent'],
    ['says nothing about an implausible value', WARM, 500_000, 'indeterminate'],
  ];
  for (const [name, rule, stored, state] of cases) {
    it(name, () => assert.equal(conditionAt(rule, temperature(stored))?.state, state));
  }

  it('says nothing about an old value, or one that was never reported', () => {
    assert.equal(conditionAt(WARM, temperature(45_000, NOW_MS - 30 * SECOND_MS))?.state, 'present');
    assert.equal(conditionAt(WARM, temperature(45_000, NOW_MS - 30 * SECOND_MS - 1))?.state, 'indeterminate');
    assert.equal(conditionAt(WARM, {})?.state, 'indeterminate');
  });

  it('sees a declared sensor with its own precision, range and reporting interval', () => {
    const rule = { ...WARM, sensor_id: 'temp_3' };
    const at = (value: number, ageMs = 0) =>
      conditionAt(rule, { temp_3: { value, tsMs: NOW_MS - ageMs } })?.state;
    assert.deepEqual(
      [at(300), at(299), at(295), at(294)],
      ['present', 'indeterminate', 'indeterminate', 'absent'],
    );
    assert.equal(at(851), 'indeterminate');
    assert.equal(at(300, 1_800 * SECOND_MS), 'present');
    assert.equal(at(300, 1_800 * SECOND_MS + 1), 'indeterminate');
    const condition = conditionAt(rule, { temp_3: { value: 314, tsMs: NOW_MS } });
    assert.ok(condition?.state === 'present');
    assert.equal(inEnglish(condition.message), 'Temp 3 is 31.4 °C, at or above the limit of 30 °C');
  });

  it('without a sensor has no condition', () => {
    assert.equal(conditionAt({ ...WARM, sensor_id: 'co2' }, temperature(45_000)), undefined);
  });

  it('says what was measured', () => {
    assert.deepEqual(conditionAt(WARM, temperature(31_400)), {
      type: 'sensor_threshold',
      rule: 'temperature above warning',
      delays: { onMs: 0, offMs: 5_000 },
      state: 'present',
      severity: 'warning',
      currentValue: 31.4,
      threshold: 30,
      cause: null,
      message: sentence('sensor_above', {
        sensor: 'temperature',
        value: { value: 31.4, unit: 'celsius' },
        limit: { value: 30, unit: 'celsius' },
      }),
      valueStep: 0.5,
    });
    const named = conditionAt(
      { ...COLD, message: 'Frost', on_delay_s: 60, off_delay_s: 0 },
      temperature(-400),
    );
    assert.ok(named?.state === 'present');
    assert.equal(inEnglish(named.message), 'Frost: temperature is -0.4 °C, at or below the limit of 5 °C');
    assert.deepEqual(named.delays, { onMs: 60_000, offMs: 0 });
  });

  it('sees the level of a silo in percent of its capacity', () => {
    const full: ThresholdRule = { sensor_id: 'level', above: 33.4, severity: 'warning' };
    assert.equal(conditionAt(full, weight(1_001_999))?.state, 'absent');
    const condition = conditionAt(full, weight(1_002_100));
    assert.ok(condition?.state === 'present');
    assert.equal(condition.currentValue, 33.403333);
    assert.equal(inEnglish(condition.message), 'Level is 33.4033 %, at or above the limit of 33.4 %');
  });

  it('changes its alert by steps of the dead band, the resolution, or half a percent of the threshold', () => {
    const stepOf = (rule: ThresholdRule, stored: number) => {
      const condition = conditionAt(rule, temperature(stored));
      return condition?.state === 'present' ? condition.valueStep : null;
    };
    assert.equal(stepOf({ ...WARM, dead_band: 2 }, 31_000), 2);
    assert.equal(stepOf({ ...WARM, dead_band: 0 }, 31_000), 0.15);
    assert.equal(stepOf({ ...WARM, above: 0, dead_band: 0 }, 31_000), 0.001);
  });
});

describe('the ranges of a threshold', () => {
  const decimals = (places: number) =>
    fc.integer({ min: -1e7, max: 1e7 }).map((whole) => Number((whole / 10 ** places).toFixed(places)));

  it('begin exactly at the threshold, whatever its decimals', () => {
    const given = fc
      .integer({ min: 0, max: 6 })
      .chain((places) =>
        fc.record({ threshold: decimals(places), deadBand: fc.nat(1e6), scale: fc.constant(10 ** places) }),
      );
    fc.assert(
      fc.property(given, ({ threshold, deadBand, scale }) => {
        const at = Math.round(threshold * scale);
        const band = deadBand / scale;
        const above = thresholdRanges({ side: 'above', threshold }, band, { scale });
        const below = thresholdRanges({ side: 'below', threshold }, band, { scale });
        assert.deepEqual([above.present.min, above.absent.max], [at, at - deadBand - 1]);
        assert.deepEqual([below.present.max, below.absent.min], [at, at + deadBand + 1]);
      }),
    );
  });

  it('give every value exactly one state', () => {
    const given = fc.record({
      side: fc.constantFrom('above' as const, 'below' as const),
      threshold: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      deadBand: fc.double({ min: 0, max: 1e5, noNaN: true }),
      scale: fc.constantFrom(1, 1_000, 1e6, 123.456),
      value: fc.integer({ min: -1e9, max: 1e9 }),
    });
    fc.assert(
      fc.property(given, ({ side, threshold, deadBand, scale, value }) => {
        const distance = side === 'above' ? value / scale - threshold : threshold - value / scale;
        const state = stateAt(thresholdRanges({ side, threshold }, deadBand, { scale }), value);
        if (Math.abs(distance) < 1e-4 || Math.abs(distance + deadBand) < 1e-4) return;
        const notPresent = distance < -deadBand ? 'absent' : 'indeterminate';
        assert.equal(state, distance > 0 ? 'present' : notPresent);
      }),
    );
  });
});
