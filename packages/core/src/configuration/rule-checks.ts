import type { Maintenance, ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { Refusal } from '@granary/contract/errors';
import { ISSUES_MAX, issueOf, type ValidationIssue } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { checkedTimeMs, HOUR_MS, toIso } from '@granary/contract/time';
import { type RuleThreshold, ruleKey, ruleThreshold } from '../alerts/rule-key.ts';
import type { RuleSensor } from '../alerts/rules/threshold-rules.ts';
import { thresholdRanges } from '../alerts/rules/threshold-rules.ts';
import { intersection } from '../alerts/rules/value-range.ts';

const MAINTENANCE_INTERVAL_HOURS = 2_160;

/** The facts about a sensor that its rules must agree with. */
type CheckedSensor = Pick<RuleSensor, 'sensorId' | 'unit' | 'scale' | 'min' | 'max'>;

/** Refuses rules that could not be applied to a device with these sensors. */
export function refuseBadRules(rules: readonly ThresholdRule[], sensors: readonly CheckedSensor[]): void {
  const sensorOf = new Map(sensors.map((sensor) => [sensor.sensorId, sensor]));
  const firstWithKey = new Map<string, number>();
  const issues = rules.flatMap((rule, index): ValidationIssue[] => {
    const path = `/rules/${index}`;
    const wanted = ruleThreshold(rule);
    if (wanted === null) {
      return [issueOf(path, sentence('must_have_one_side'))];
    }
    const key = ruleKey(wanted);
    const first = firstWithKey.get(key);
    if (first !== undefined) {
      return [issueOf(path, sentence('must_differ_from_rule', { rule: first }))];
    }
    firstWithKey.set(key, index);
    const sensor = sensorOf.get(rule.sensor_id);
    if (sensor === undefined) {
      const known = sensors.map(({ sensorId }) => sensorId).join(', ');
      return [issueOf(`${path}/sensor_id`, sentence('must_be_a_sensor', { sensors: known }))];
    }
    return rangeIssues(path, wanted, rule.dead_band ?? 0, sensor);
  });
  const [first] = issues;
  if (first === undefined) return;
  throw new Refusal(
    'invalid_input',
    `the rules cannot be applied: ${first.path} ${first.message}`,
    issues.slice(0, ISSUES_MAX),
  );
}

/** A rule that no plausible value could raise, or clear, is a mistake. */
function rangeIssues(
  path: string,
  given: RuleThreshold,
  deadBand: number,
  { min, max, scale, unit }: CheckedSensor,
): ValidationIssue[] {
  const { side, threshold } = given;
  if (threshold < min || threshold > max) {
    return [issueOf(`${path}/${side}`, sentence('must_be_between', { min, max, unit }))];
  }
  const { absent } = thresholdRanges(given, deadBand, { scale });
  const clearing = intersection([absent, { min: Math.ceil(min * scale), max: Math.floor(max * scale) }]);
  if (clearing.min <= clearing.max) return [];
  const room = side === 'above' ? threshold - min : max - threshold;
  if (deadBand === 0) {
    const end = side === 'above' ? 'lowest' : 'highest';
    const message = `must not be the ${end} plausible value, because the alert could not clear`;
    return [{ path: `${path}/${side}`, message }];
  }
  const message = `must be below ${room} ${unit}, because the alert could not clear`;
  return [{ path: `${path}/dead_band`, message }];
}

/** The first maintenance of a new device of any profile. */
export const initialMaintenance = (nowMs: number): Maintenance => ({
  next_scheduled: toIso(nowMs + MAINTENANCE_INTERVAL_HOURS * HOUR_MS),
  interval_hours: MAINTENANCE_INTERVAL_HOURS,
});

/** A time is stored in UTC, whichever offset it was given in. */
export function patchMaintenance(current: Maintenance, patch: Partial<Maintenance> = {}): Maintenance {
  const changed = { ...current, ...patch };
  return { ...changed, next_scheduled: toIso(checkedTimeMs(changed.next_scheduled)) };
}
