import type { AlertType } from '@granary/contract/alerts';
import type { Lane } from '../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import type { NewestValue } from '../telemetry/readings.ts';
import { type AlertState, type ConditionSubject, isAbout } from './lifecycle.ts';
import {
  allBut,
  type ConditionRanges,
  contains,
  EVERY_VALUE,
  intersection,
  type ValueRange,
} from './rules/value-range.ts';

/**
 * The stored values that cannot change any alert, so that a reading within them needs no evaluation. A sensor without a
 * range may have any plausible value. The ranges are valid until alerts or thresholds change.
 */
export interface NoChangeRanges {
  readonly weight: ValueRange;
  readonly others: readonly SensorRange[];
}

export type SensorRange = Lane & ValueRange;

const WEIGHT = STANDARD_SENSORS.weight.lane;

const isSameLane = (a: Lane, b: Lane): boolean => a.group === b.group && a.slot === b.slot;

/** A condition that follows from the newest value of one sensor. */
export interface ValueCondition extends ConditionRanges {
  readonly subject: ConditionSubject;
  readonly lane: Lane;
  /** The stored value is the shown one, times the scale. */
  readonly scale: number;
  /** The change of the shown value after which an open alert is updated. */
  readonly valueStep: number;
}

/** `null` when every reading needs an evaluation, because it may end an alert about silence or implausible values. */
export function noChangeRanges(
  conditions: readonly ValueCondition[],
  open: readonly AlertState[],
): NoChangeRanges | null {
  if (open.some((alert) => AWAITING_READING.has(alert.type) && isHere(alert))) return null;
  const weight: ValueRange[] = [];
  const others = new Map<string, SensorRange>();
  for (const condition of conditions) {
    const { group, slot } = condition.lane;
    const ranges = unchanged(condition, open);
    if (isSameLane(condition.lane, WEIGHT)) weight.push(...ranges);
    else {
      const key = `${group} ${slot}`;
      others.set(key, { group, slot, ...intersection([...ranges, others.get(key) ?? EVERY_VALUE]) });
    }
  }
  return { weight: intersection(weight), others: [...others.values()] };
}

const AWAITING_READING: ReadonlySet<AlertType> = new Set<AlertType>([
  'sensor_stale',
  'sensor_fault',
  'device_offline',
]);

const isHere = ({ status }: AlertState): boolean => status !== 'cleared' && status !== 'resolved';

/** The values that do not change the alert of a condition. */
function unchanged(condition: ValueCondition, open: readonly AlertState[]): ValueRange[] {
  const alert = open.find((one) => isAbout(one, condition.subject));
  if (alert === undefined || !isHere(alert)) return [allBut(condition.present)];
  return [sameStateRange(condition, alert), ...shownRange(condition, alert)];
}

/** A running delay ends when a value leaves the range in which it began. */
function sameStateRange({ present, absent }: ConditionRanges, alert: AlertState): ValueRange {
  if (alert.status === 'pending') return present;
  return alert.absentSinceMs === null ? allBut(absent) : absent;
}

/** Shown values are rounded to six decimals. */
const SHOWN_ERROR_MAX = 1e-6;
const STORED_ERROR_MAX = 1e-4;

/** The values so close to the shown one that the alert needs no update. */
function shownRange(
  { scale, valueStep }: ValueCondition,
  { status, absentSinceMs, currentValue }: AlertState,
): ValueRange[] {
  if (status === 'pending' || absentSinceMs !== null || currentValue === null) return [];
  const shown = currentValue * scale;
  // The step is smaller by the error, so that rounding cannot hide a reading that must be evaluated.
  const step = valueStep * scale - Math.max(SHOWN_ERROR_MAX * scale, STORED_ERROR_MAX);
  return [{ min: Math.floor(shown - step) + 1, max: Math.ceil(shown + step) - 1 }];
}

/** The latest values of a device are plausible and inside the ranges. */
export function isWithinNoChangeRanges(
  ranges: NoChangeRanges | null,
  values: readonly NewestValue[],
): boolean {
  return ranges !== null && values.every((value) => !value.isBad && isInRange(ranges, value));
}

function isInRange({ weight, others }: NoChangeRanges, newest: NewestValue): boolean {
  const range = isSameLane(newest, WEIGHT) ? weight : others.find((one) => isSameLane(one, newest));
  return range === undefined || contains(range, newest.value);
}
