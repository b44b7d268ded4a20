import type { AlertSeverity } from '@granary/contract/alerts';
import type { OperationType } from '@granary/contract/operations';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import type { Texts } from '../../texts/en/texts.ts';

/** A value of a sensor at which an alert begins. */
export interface NamedThreshold {
  readonly name: string;
  readonly value: number;
  readonly severity: AlertSeverity;
  /** The alert begins above the value, not below it. */
  readonly isAbove: boolean;
}

/** The thresholds of one sensor: those of the profile, and the threshold rules. */
export function thresholdsOf(
  configuration: DeviceConfiguration,
  sensorId: string,
  words: Texts['devices']['thresholds'],
): NamedThreshold[] {
  const rules = configuration.rules
    .filter((rule) => rule.sensor_id === sensorId)
    .flatMap(({ above, below, severity, message }) => {
      const value = above ?? below;
      const side = above === undefined ? words.below : words.above;
      return value === undefined
        ? []
        : [{ name: message ?? side, value, severity, isAbove: above !== undefined }];
    });
  return [...profileThresholds(configuration, sensorId, words), ...rules];
}

function profileThresholds(
  configuration: DeviceConfiguration,
  sensorId: string,
  words: Texts['devices']['thresholds'],
): NamedThreshold[] {
  if (!('thresholds' in configuration)) return [];
  const { thresholds } = configuration;
  if ('low_level' in thresholds && sensorId === 'level') {
    return [
      { name: words.high_level, value: thresholds.high_level, severity: 'warning', isAbove: true },
      { name: words.low_level, value: thresholds.low_level, severity: 'warning', isAbove: false },
      { name: words.critical_level, value: thresholds.critical_level, severity: 'critical', isAbove: false },
    ];
  }
  if ('low_battery' in thresholds && sensorId === 'battery_level') {
    return [
      { name: words.low_battery, value: thresholds.low_battery, severity: 'warning', isAbove: false },
      {
        name: words.critical_battery,
        value: thresholds.critical_battery,
        severity: 'critical',
        isAbove: false,
      },
    ];
  }
  return [];
}

export const isCrossed = ({ value, isAbove }: NamedThreshold, measured: number | undefined): boolean =>
  measured !== undefined && (isAbove ? measured >= value : measured <= value);

/** The first threshold in the direction of an operation that its end level does not reach. */
export function nextThreshold(
  type: OperationType,
  levelAfter: number,
  thresholds: readonly NamedThreshold[],
): NamedThreshold | null {
  const ahead = thresholds.filter(({ value }) => (type === 'feed' ? value > levelAfter : value < levelAfter));
  return ahead.reduce<NamedThreshold | null>(
    (nearest, one) =>
      nearest === null || Math.abs(one.value - levelAfter) < Math.abs(nearest.value - levelAfter)
        ? one
        : nearest,
    null,
  );
}
