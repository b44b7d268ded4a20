import type { AlertSeverity } from '@granary/contract/alerts';
import type { OperationType } from '@granary/contract/operations';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import type { Texts } from '../../texts.ts';

type Words = Texts['devices']['thresholds'];

/** A value of a sensor at which an alert begins. */
export interface NamedThreshold {
  /** The field in the configuration; `null` for the threshold of a rule. */
  readonly key: keyof Words | null;
  readonly name: string;
  readonly value: number;
  readonly severity: AlertSeverity;
  /** True when the alert begins above the value and not below it. */
  readonly isAbove: boolean;
}

/** The thresholds of one sensor: those of the profile, and the threshold rules. */
export function thresholdsOf(
  configuration: DeviceConfiguration,
  sensorId: string,
  words: Words,
): NamedThreshold[] {
  const rules = configuration.rules
    .filter((rule) => rule.sensor_id === sensorId)
    .flatMap(({ above, below, severity, message }) => {
      const value = above ?? below;
      const side = above === undefined ? words.below : words.above;
      return value === undefined
        ? []
        : [{ key: null, name: message ?? side, value, severity, isAbove: above !== undefined }];
    });
  return [...profileThresholds(configuration, sensorId, words), ...rules];
}

function profileThresholds(
  configuration: DeviceConfiguration,
  sensorId: string,
  words: Words,
): NamedThreshold[] {
  if (!('thresholds' in configuration)) return [];
  const { thresholds } = configuration;
  const threshold = (
    key: keyof Words,
    value: number,
    severity: AlertSeverity,
    isAbove = false,
  ): NamedThreshold => ({ key, name: words[key], value, severity, isAbove });
  if ('low_level' in thresholds && sensorId === 'level') {
    const { low_level, high_level, critical_level } = thresholds;
    return [
      threshold('high_level', high_level, 'warning', true),
      threshold('low_level', low_level, 'warning'),
      // The critical level guards the bottom or the top, depending on its side of the low level.
      threshold('critical_level', critical_level, 'critical', critical_level > low_level),
    ];
  }
  if ('low_battery' in thresholds && sensorId === 'battery_level') {
    return [
      threshold('low_battery', thresholds.low_battery, 'warning'),
      threshold('critical_battery', thresholds.critical_battery, 'critical'),
    ];
  }
  return [];
}

export const isCrossed = ({ value, isAbove }: NamedThreshold, measured: number | undefined): boolean =>
  measured !== undefined && (isAbove ? measured >= value : measured <= value);

/** The first threshold beyond the end level of an operation, in the direction of the operation. */
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
