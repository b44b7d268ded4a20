import type { AlertSeverity, AlertType } from '@granary/contract/alerts';
import type { Alarms } from '@granary/contract/configuration/shared-configuration';
import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { roundTo6 } from '../../units.ts';

/** A smaller change of a percentage is not worth a write of the alert. */
const VALUE_STEP_MIN_PERCENT = 0.5;

/** The change of a percentage after which an open alert is updated. */
export const valueStepPercent = ({ dead_band }: Alarms): number =>
  Math.max(dead_band, VALUE_STEP_MIN_PERCENT);

/** A range of whole grams, including both ends. */
export interface WeightRange {
  readonly minG: number;
  readonly maxG: number;
}

/** A threshold at the bottom or at the top of a silo; between its two ranges is the dead band. */
export interface LevelRule {
  readonly type: AlertType;
  readonly severity: AlertSeverity;
  readonly side: 'bottom' | 'top';
  readonly thresholdPercent: number;
  readonly present: WeightRange;
  readonly absent: WeightRange;
}

export const atMost = (maxG: number): WeightRange => ({ minG: Number.NEGATIVE_INFINITY, maxG });
export const atLeast = (minG: number): WeightRange => ({ minG, maxG: Number.POSITIVE_INFINITY });

export const contains = ({ minG, maxG }: WeightRange, weightG: number): boolean =>
  weightG >= minG && weightG <= maxG;

type LevelSettings = Pick<SiloConfiguration, 'thresholds' | 'alarms'>;

export function levelRules({ thresholds, alarms }: LevelSettings, capacityG: number): LevelRule[] {
  const { low_level, high_level, critical_level } = thresholds;
  const { dead_band } = alarms;
  const gramsAt = (percent: number) => roundTo6((percent * capacityG) / 100);
  const bottom = (thresholdPercent: number) => ({
    side: 'bottom' as const,
    thresholdPercent,
    present: atMost(Math.floor(gramsAt(thresholdPercent))),
    absent: atLeast(Math.floor(gramsAt(thresholdPercent + dead_band)) + 1),
  });
  const top = (thresholdPercent: number) => ({
    side: 'top' as const,
    thresholdPercent,
    present: atLeast(Math.ceil(gramsAt(thresholdPercent))),
    absent: atMost(Math.ceil(gramsAt(thresholdPercent - dead_band)) - 1),
  });
  const guardCritical = critical_level < low_level ? bottom : top;
  return [
    { type: 'low_level', severity: 'warning', ...bottom(low_level) },
    { type: 'high_level', severity: 'warning', ...top(high_level) },
    { type: 'critical_level', severity: 'critical', ...guardCritical(critical_level) },
  ];
}

export function stateAt(
  { present, absent }: LevelRule,
  weightG: number,
): 'present' | 'absent' | 'indeterminate' {
  if (contains(present, weightG)) return 'present';
  return contains(absent, weightG) ? 'absent' : 'indeterminate';
}
