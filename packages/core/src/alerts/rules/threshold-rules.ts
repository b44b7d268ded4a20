import type { Alarms, ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import type { AlertMessage } from '@granary/contract/sentences/alerts';
import { sentence } from '@granary/contract/sentences/codes';
import { latestOf, type Sensor } from '../../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../../sensors/standard-sensors.ts';
import { isBelievable, plausibleRange } from '../../telemetry/plausibility.ts';
import { roundTo6 } from '../../units.ts';
import type { AlertDelays, Condition } from '../lifecycle.ts';
import { delaysOf, type Monitoring } from '../monitoring.ts';
import type { ValueCondition } from '../no-change-ranges.ts';
import { type RuleThreshold, ruleKey, ruleThreshold } from '../rule-key.ts';
import { isFresh, type SensorFacts } from './sensor-rules.ts';
import { atLeast, atMost, type ConditionRanges, stateAt } from './value-range.ts';

/** A sensor that threshold rules can refer to, with its range of plausible values on this device. */
export interface RuleSensor extends Sensor {
  /** The sensor whose values are judged; for the level of a silo, its weight. */
  readonly measuredBy: Sensor;
}

/** The sensors of a device, and for a silo also its level: its weight in percent of the capacity. */
export function ruleSensors(sensors: readonly Sensor[], capacityKg?: number): RuleSensor[] {
  return sensors.flatMap((sensor) => {
    const { min, max } = plausibleRange(sensor, capacityKg);
    const own: RuleSensor = { ...sensor, min, max, measuredBy: sensor };
    if (sensor !== STANDARD_SENSORS.weight || capacityKg === undefined) return [own];
    const percentPerKg = 100 / capacityKg;
    const level: RuleSensor = {
      ...own,
      sensorId: 'level',
      type: 'level',
      unit: 'percent',
      scale: own.scale / percentPerKg,
      min: roundTo6(min * percentPerKg),
      max: roundTo6(max * percentPerKg),
    };
    return [own, level];
  });
}

export interface ThresholdFacts extends SensorFacts {
  readonly configuration: Pick<Monitoring, 'rules' | 'alarms'>;
}

/** What determines the rules of a device, without its values. */
type RuleFacts = Pick<ThresholdFacts, 'configuration' | 'sensors' | 'capacityKg'>;

/** A threshold rule together with its sensor; its ranges are stored values. */
export interface SensorRule extends RuleThreshold, ConditionRanges {
  readonly key: string;
  readonly sensor: RuleSensor;
  readonly delays: AlertDelays;
  /** The change of the value after which an open alert is updated. */
  readonly valueStep: number;
  /** The first part of the text of the alert. */
  readonly title: string | undefined;
}

/** A change by a smaller part of the threshold is not worth a write of the alert. */
const VALUE_STEP_MIN = 0.005;

/** The rules whose sensor exists. */
function sensorRules({ configuration: { rules, alarms }, sensors, capacityKg }: RuleFacts): SensorRule[] {
  if (rules.length === 0) return [];
  const known = new Map(ruleSensors(sensors, capacityKg).map((sensor) => [sensor.sensorId, sensor]));
  return rules.flatMap((rule) => {
    const sensor = known.get(rule.sensor_id);
    const threshold = ruleThreshold(rule);
    return sensor === undefined || threshold === null ? [] : [sensorRule(rule, threshold, sensor, alarms)];
  });
}

function sensorRule(
  { dead_band = 0, on_delay_s, off_delay_s, message }: ThresholdRule,
  given: RuleThreshold,
  sensor: RuleSensor,
  alarms: Alarms,
): SensorRule {
  return {
    ...given,
    ...thresholdRanges(given, dead_band, sensor),
    key: ruleKey(given),
    sensor,
    delays: delaysOf({
      on_delay_s: on_delay_s ?? alarms.on_delay_s,
      off_delay_s: off_delay_s ?? alarms.off_delay_s,
    }),
    valueStep: Math.max(dead_band, 1 / sensor.scale, Math.abs(given.threshold) * VALUE_STEP_MIN),
    title: message,
  };
}

export function thresholdRanges(
  { side, threshold }: Pick<RuleThreshold, 'side' | 'threshold'>,
  deadBand: number,
  { scale }: Pick<RuleSensor, 'scale'>,
): ConditionRanges {
  if (side === 'above') {
    return {
      present: atLeast(Math.ceil(inStoredUnits(threshold, scale))),
      absent: atMost(Math.ceil(inStoredUnits(threshold - deadBand, scale)) - 1),
    };
  }
  return {
    present: atMost(Math.floor(inStoredUnits(threshold, scale))),
    absent: atLeast(Math.floor(inStoredUnits(threshold + deadBand, scale)) + 1),
  };
}

/** The rules as conditions of single values. */
export const thresholdValueConditions = (facts: RuleFacts): ValueCondition[] =>
  sensorRules(facts).map(({ key, sensor, present, absent, valueStep }) => ({
    subject: { type: 'sensor_threshold', rule: key },
    lane: sensor.lane,
    present,
    absent,
    scale: sensor.scale,
    valueStep,
  }));

/** Larger than the error of the multiplication, and much smaller than a stored unit. */
const ROUNDING_ERROR_MAX = 1e-5;

/** A rounding error must not move a threshold to the next whole number. */
function inStoredUnits(value: number, scale: number): number {
  const exact = value * scale;
  const nearest = Math.round(exact);
  return Math.abs(exact - nearest) <= ROUNDING_ERROR_MAX ? nearest : exact;
}

/** One condition for each rule whose sensor exists; an old or implausible value says nothing about the present. */
export function thresholdConditions(facts: ThresholdFacts, judgedAtMs: number): Condition[] {
  const { presence, latest, capacityKg } = facts;
  return sensorRules(facts).map((rule): Condition => {
    const { key, sensor, delays, severity, threshold, valueStep } = rule;
    const subject = { type: 'sensor_threshold', rule: key, delays } as const;
    const { measuredBy } = sensor;
    const newest = latestOf(latest, measuredBy);
    const isUsable =
      newest !== undefined &&
      isFresh(measuredBy, newest, presence, judgedAtMs) &&
      isBelievable(measuredBy, newest, capacityKg);
    if (!isUsable) return { ...subject, state: 'indeterminate' };
    const state = stateAt(rule, newest.value);
    if (state !== 'present') return { ...subject, state };
    const currentValue = roundTo6(newest.value / sensor.scale);
    const message = thresholdMessage(rule, currentValue);
    return { ...subject, state, severity, currentValue, threshold, cause: null, message, valueStep };
  });
}

/** A percentage of a capacity can have any number of digits. */
const SHOWN_DIGITS_MAX = 6;

function thresholdMessage({ title, side, threshold, sensor }: SensorRule, value: number): AlertMessage {
  const { sensorId, unit } = sensor;
  const values = {
    sensor: sensorId,
    value: { value: Number(value.toPrecision(SHOWN_DIGITS_MAX)), unit },
    limit: { value: threshold, unit },
  };
  return title === undefined
    ? sentence(`sensor_${side}`, values)
    : sentence(`sensor_${side}_named`, { ...values, name: title });
}
