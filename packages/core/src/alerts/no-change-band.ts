import type { AlertType } from '@granary/contract/alerts';
import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import type { NewestValue } from '../telemetry/rollup.ts';
import { toGrams } from '../units.ts';
import type { AlertState } from './lifecycle.ts';
import {
  atLeast,
  atMost,
  contains,
  type LevelRule,
  levelRules,
  valueStepPercent,
  type WeightRange,
} from './rules/level-rules.ts';

/**
 * The weights that cannot change any alert about the level, so that a reading within them needs no evaluation; `null` when
 * every reading needs one, because it may end an alert about silence or implausible values. Valid until alerts or
 * thresholds change.
 */
export function noChangeBand(
  configuration: SiloConfiguration,
  open: readonly AlertState[],
  capacityKg: number,
): WeightRange | null {
  const isHere = ({ status }: AlertState) => status !== 'cleared' && status !== 'resolved';
  if (open.some((alert) => AWAITING_READING.has(alert.type) && isHere(alert))) return null;
  const capacityG = toGrams(capacityKg, 'kg');
  const stepG = (valueStepPercent(configuration.alarms) * capacityG) / 100;
  const ranges = levelRules(configuration, capacityG).flatMap((rule) => {
    const alert = open.find(({ type }) => type === rule.type);
    if (alert === undefined || !isHere(alert)) return [allBut(rule.present)];
    return [quietRange(rule, alert), ...shownRange(alert, capacityG, stepG)];
  });
  return {
    minG: Math.max(...ranges.map(({ minG }) => minG)),
    maxG: Math.min(...ranges.map(({ maxG }) => maxG)),
  };
}

const AWAITING_READING: ReadonlySet<AlertType> = new Set<AlertType>([
  'sensor_stale',
  'sensor_fault',
  'device_offline',
]);

/** The weights so close to the value of an open alert that it needs no update. */
function shownRange(
  { status, absentSinceMs, currentValue }: AlertState,
  capacityG: number,
  stepG: number,
): WeightRange[] {
  if (status === 'pending' || absentSinceMs !== null || currentValue === null) return [];
  const shownG = (currentValue * capacityG) / 100;
  // One gram less on either side, so that rounding cannot hide a reading that must be evaluated.
  return [{ minG: Math.ceil(shownG - stepG) + 1, maxG: Math.floor(shownG + stepG) - 1 }];
}

/** A running delay ends when a value leaves the range in which it began. */
function quietRange(rule: LevelRule, { status, absentSinceMs }: AlertState): WeightRange {
  if (status === 'pending') return rule.present;
  return absentSinceMs === null ? allBut(rule.absent) : rule.absent;
}

/** The complement of a range that is open on one side. */
const allBut = ({ minG, maxG }: WeightRange): WeightRange =>
  minG === Number.NEGATIVE_INFINITY ? atLeast(maxG + 1) : atMost(minG - 1);

/** The latest values of a device are plausible and inside the band. */
export function isWithinNoChangeBand(band: WeightRange | null, values: readonly NewestValue[]): boolean {
  if (band === null) return false;
  const { lane } = STANDARD_SENSORS.weight;
  return values.every(
    ({ group, slot, value, isBad }) =>
      !isBad && (group !== lane.group || slot !== lane.slot || contains(band, value)),
  );
}
