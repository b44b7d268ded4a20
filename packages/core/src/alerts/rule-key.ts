import type { AlertSeverity } from '@granary/contract/alerts';
import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';

/** What identifies a threshold rule of a device; its threshold may change while its alert is open. */
export interface RuleIdentity {
  readonly sensorId: string;
  readonly side: 'above' | 'below';
  readonly severity: AlertSeverity;
}

export interface RuleThreshold extends RuleIdentity {
  readonly threshold: number;
}

/** `null` for a rule with both or none of `above` and `below`, which the configuration refuses. */
export function ruleThreshold({
  sensor_id: sensorId,
  above,
  below,
  severity,
}: ThresholdRule): RuleThreshold | null {
  if (above !== undefined) {
    return below === undefined ? { sensorId, side: 'above', severity, threshold: above } : null;
  }
  return below === undefined ? null : { sensorId, side: 'below', severity, threshold: below };
}

/** The stored form, such as `temp_3 above warning`; no part of it contains a space. */
export const ruleKey = ({ sensorId, side, severity }: RuleIdentity): string =>
  `${sensorId} ${side} ${severity}`;

export const sensorIdOf = (key: string): string => key.slice(0, key.indexOf(' '));
