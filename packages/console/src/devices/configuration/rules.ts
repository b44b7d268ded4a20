import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';

export const parseRules = (text: string): ThresholdRule[] => JSON.parse(text);

export const newRule = (sensor_id: string): ThresholdRule => ({ sensor_id, above: 0, severity: 'warning' });

export const sideOf = ({ above }: ThresholdRule): 'above' | 'below' =>
  above === undefined ? 'below' : 'above';

export const valueOfRule = ({ above, below }: ThresholdRule): number | null => above ?? below ?? null;

/** A rule has exactly one side. */
export function withSide(rule: ThresholdRule, side: string): ThresholdRule {
  const { above, below, ...rest } = rule;
  const value = above ?? below ?? 0;
  return side === 'below' ? { ...rest, below: value } : { ...rest, above: value };
}

/** An empty field stays as it was, because a rule without a value would be another rule. */
export function withValue(rule: ThresholdRule, value: number): ThresholdRule {
  if (Number.isNaN(value)) return rule;
  return sideOf(rule) === 'below' ? { ...rule, below: value } : { ...rule, above: value };
}
