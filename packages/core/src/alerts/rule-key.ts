import type { AlertSeverity } from '@granary/contract/alerts';

/** What identifies a threshold rule of a device; its threshold may change while its alert is open. */
export interface RuleIdentity {
  readonly sensorId: string;
  readonly side: 'above' | 'below';
  readonly severity: AlertSeverity;
}

/** The stored form, such as `temp_3 above warning`; no part of it contains a space. */
export const ruleKey = ({ sensorId, side, severity }: RuleIdentity): string =>
  `${sensorId} ${side} ${severity}`;

export const sensorIdOf = (key: string): string => key.slice(0, key.indexOf(' '));
