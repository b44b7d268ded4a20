import type { AlertSeverity, AlertType } from '@granary/contract/alerts';
import type { Alarms } from '@granary/contract/configuration/shared-configuration';
import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { STANDARD_SENSORS } from '../../sensors/standard-sensors.ts';
import { roundTo6 } from '../../units.ts';
import type { ValueCondition } from '../no-change-ranges.ts';
import { atLeast, atMost, type ConditionRanges } from './value-range.ts';

/** A smaller change of a percentage is not worth a write of the alert. */
const VALUE_STEP_MIN_PERCENT = 0.5;

/** The change of a percentage after which an open alert is updated. */
export const valueStepPercent = ({ dead_band }: Alarms): number =>
  Math.max(dead_band, VALUE_STEP_MIN_PERCENT);

/** A threshold at the bottom or at the top of a silo; its ranges are grams. */
export interface LevelRule extends ConditionRanges {
  readonly type: AlertType;
  readonly severity: AlertSeverity;
  readonly side: 'bottom' | 'top';
  readonly thresholdPercent: number;
}

type LevelSettings = Pick<SiloConfiguration, 'thresholds' | 'alarms'>;

/** The rules as conditions of the weight, whose alerts show percent. */
export const levelValueConditions = (configuration: LevelSettings, capacityG: number): ValueCondition[] =>
  levelRules(configuration, capacityG).map(({ type, present, absent }) => ({
    subject: { type },
    lane: STANDARD_SENSORS.weight.lane,
    present,
    absent,
    scale: capacityG / 100,
    valueStep: valueStepPercent(configuration.alarms),
  }));

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
