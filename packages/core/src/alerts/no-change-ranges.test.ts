import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { SECOND_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { initialConfiguration } from '../configuration/silo-configuration.ts';
import { deviceStatus, NEVER_SEEN } from '../devices/status.ts';
import type { Sensor } from '../sensors/sensor.ts';
import { standardSensorsOf } from '../sensors/standard-sensors.ts';
import { isBelievable } from '../telemetry/plausibility.ts';
import type { NewestValue } from '../telemetry/readings.ts';
import { evaluateAlerts, nextEvaluationAtMs } from './evaluation.ts';
import { type AlertState, acknowledgeAlert } from './lifecycle.ts';
import { delaysOf } from './monitoring.ts';
import { isWithinNoChangeRanges, noChangeRanges } from './no-change-ranges.ts';
import type { Observed } from './observation.ts';
import { levelValueConditions } from './rules/level-rules.ts';
import { type SiloFacts, siloRules } from './rules/silo-rules.ts';
import { thresholdValueConditions } from './rules/threshold-rules.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const CAPACITY_KG = 3_000;
const CAPACITY_G = CAPACITY_KG * 1_000;

type Facts = SiloFacts & Observed;
type SensorValues = Readonly<Record<string, number>>;

const declared = (sensorId: string, scale: number, slot: 0 | 1): Sensor => ({
  sensorId,
  type: 'temperature',
  unit: 'celsius',
  scale,
  min: -40,
  max: 85,
  lane: { group: 100, slot },
  reportingIntervalMs: 20 * SECOND_MS,
});

const SENSORS = [...standardSensorsOf('silo_scale'), declared('temp_1', 10, 0), declared('temp_2', 1e6, 1)];

/** The newest values of a batch with one reading. */
const newestOf = (values: SensorValues): NewestValue[] =>
  SENSORS.flatMap((sensor) => {
    const value = values[sensor.sensorId];
    if (value === undefined) return [];
    const isBad = !isBelievable(sensor, { value, tsMs: START_MS }, CAPACITY_KG);
    return [{ deviceNo: 1, ...sensor.lane, value, tsMs: START_MS, isBad }];
  });

const delay = fc.constantFrom(0, 3, 20);

const rule: fc.Arbitrary<ThresholdRule> = fc
  .record({
    sensor_id: fc.constantFrom('temperature', 'level', 'weight', 'temp_1', 'temp_2'),
    side: fc.constantFrom('above', 'below'),
    threshold: fc.constantFrom(20, 33.3, 50),
    severity: fc.constantFrom(...ALERT_SEVERITIES),
    dead_band: fc.constantFrom(0, 0.1, 2),
    on_delay_s: delay,
    off_delay_s: delay,
  })
  .map(({ side, threshold, ...others }) => ({ ...others, [side]: threshold }));

const rules = fc.uniqueArray(rule, {
  maxLength: 6,
  selector: (one) => `${one.sensor_id} ${one.above === undefined} ${one.severity}`,
});

/** Values close to the thresholds and dead bands. */
const close = (scale: number): fc.Arbitrary<number> =>
  fc
    .tuple(
      fc.constantFrom(18, 20, 22, 31.3, 33.2, 33.3, 33.4, 35.3, 48, 50, 52, 60, 500),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([shown, units]) => Math.round(shown * scale) + units);

const values: fc.Arbitrary<SensorValues> = fc.record(
  {
    weight: fc.oneof(close(1_000), close(CAPACITY_G / 100)),
    temperature: close(1_000),
    temp_1: close(10),
    temp_2: close(1e6),
  },
  { requiredKeys: [] },
);

const step = fc.record({
  pauseMs: fc.constantFrom(1, SECOND_MS, 3 * SECOND_MS, 10 * SECOND_MS, 21 * SECOND_MS, 31 * SECOND_MS),
  values,
  isAcknowledged: fc.boolean(),
});

/** A silo with rules, whose alerts are kept as a store would keep them. */
class Silo {
  facts: Facts;
  open: readonly AlertState[] = [];

  constructor(given: ThresholdRule[]) {
    this.facts = {
      deviceNo: 1,
      presence: { ...NEVER_SEEN, lastSeenAtMs: START_MS, reportedState: 'online' },
      capacityKg: CAPACITY_KG,
      sensors: SENSORS,
      latest: {},
      configuration: { ...initialConfiguration(START_MS), rules: given },
      operations: [],
      observedSinceMs: 0,
      onlineSinceMs: 0,
      dueAtMs: null,
    };
  }

  get ranges() {
    const { configuration } = this.facts;
    const ofRules = thresholdValueConditions(this.facts);
    return noChangeRanges([...levelValueConditions(configuration, CAPACITY_G), ...ofRules], this.open);
  }

  /** Any message of an offline device makes it online. */
  rangesAt(nowMs: number) {
    return deviceStatus(this.facts.presence, nowMs) === 'offline' ? null : this.ranges;
  }

  changes(nowMs: number) {
    const settings = { delays: delaysOf(this.facts.configuration.alarms), newAlertId: () => 'al_1' };
    return evaluateAlerts(siloRules, this.facts, this.open, settings, nowMs);
  }

  evaluate(nowMs: number): void {
    const changes = this.changes(nowMs);
    const replaced = new Set(changes.map(({ before }) => before));
    this.open = [
      ...this.open.filter((alert) => !replaced.has(alert)),
      ...changes.flatMap(({ after }) => (after === null || after.status === 'resolved' ? [] : [after])),
    ];
  }

  report(given: SensorValues, nowMs: number): void {
    const newest = Object.entries(given).map(([name, value]) => [name, { value, tsMs: nowMs }] as const);
    const latest = { ...this.facts.latest, ...Object.fromEntries(newest) };
    this.facts = { ...this.facts, latest, presence: { ...this.facts.presence, lastSeenAtMs: nowMs } };
  }

  acknowledge(nowMs: number): void {
    this.open = this.open.map((alert) => acknowledgeAlert(alert, { acknowledged_by: 'Ida' }, nowMs, null));
  }

  nextMs(nowMs: number): number | null {
    const delays = delaysOf(this.facts.configuration.alarms);
    return nextEvaluationAtMs(siloRules, this.facts, this.open, delays, nowMs);
  }
}

describe('a device with threshold rules', () => {
  it('does not change by a reading inside its no-change ranges', () => {
    let inside = 0;
    fc.assert(
      fc.property(rules, fc.array(step, { maxLength: 12 }), (given, steps) => {
        const silo = new Silo(given);
        let nowMs = START_MS;
        for (const next of steps) {
          nowMs += next.pauseMs;
          silo.evaluate(nowMs);
          if (next.isAcknowledged) silo.acknowledge(nowMs);
          const isInside = isWithinNoChangeRanges(silo.rangesAt(nowMs), newestOf(next.values));
          silo.report(next.values, nowMs);
          if (isInside && Object.keys(next.values).length > 0) {
            inside++;
            assert.deepEqual(silo.changes(nowMs), []);
          } else silo.evaluate(nowMs);
        }
      }),
      { numRuns: 2_000 },
    );
    assert.ok(inside > 300, `${inside} readings were inside`);
  });

  it('does not change before its next evaluation is due', () => {
    fc.assert(
      fc.property(rules, fc.array(step, { minLength: 1, maxLength: 8 }), (given, steps) => {
        const silo = new Silo(given);
        let nowMs = START_MS;
        for (const next of steps) {
          silo.report(next.values, nowMs);
          silo.evaluate(nowMs);
          const dueMs = silo.nextMs(nowMs) ?? Number.POSITIVE_INFINITY;
          const laterMs = Math.min(nowMs + next.pauseMs, dueMs - 1);
          if (laterMs > nowMs) assert.deepEqual(silo.changes(laterMs), []);
          nowMs += next.pauseMs;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('has a range for each sensor with a rule, and one for the weight', () => {
    const warm: ThresholdRule = { sensor_id: 'temperature', above: 30, severity: 'warning' };
    const cold: ThresholdRule = { sensor_id: 'temperature', below: 5, severity: 'warning' };
    const level: ThresholdRule = { sensor_id: 'level', above: 60, severity: 'info' };
    assert.deepEqual(new Silo([warm, cold, level]).ranges, {
      weight: { min: 600_001, max: 1_799_999 },
      others: [{ group: 1, slot: 1, min: 5_001, max: 29_999 }],
    });
    assert.deepEqual(new Silo([]).ranges, { weight: { min: 600_001, max: 2_699_999 }, others: [] });
  });
});
