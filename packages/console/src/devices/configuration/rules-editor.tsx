import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts/texts.ts';
import type { ShownSensor } from '../sensors.ts';
import { newRule, parseRules, sideOf, valueOfRule, withSide, withValue } from './rules.ts';

interface Props {
  /** The rules as JSON. */
  readonly text: string;
  readonly sensors: readonly ShownSensor[];
  readonly fault: string | null;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
}

/** The level has thresholds of its own. */
const NOT_FOR_RULES: ReadonlySet<string> = new Set(['level']);

export function RulesEditor({ text, sensors, fault, isReadOnly, onChange }: Props) {
  const { devices, common } = texts.value;
  const words = devices.configuration;
  const rules = parseRules(text);
  const choices = sensors.filter(({ id }) => !NOT_FOR_RULES.has(id));
  const set = (next: readonly ThresholdRule[]): void => onChange(JSON.stringify(next));
  const change = (index: number, rule: ThresholdRule): void => set(rules.with(index, rule));
  return (
    <fieldset class="panel device-rules">
      <legend>{words.sections['rules']}</legend>
      {rules.length === 0 && <p class="muted">{words.noRules}</p>}
      {fault !== null && (
        <p class="refusal" role="alert">
          {fault}
        </p>
      )}
      <ul>
        {rules.map((rule, index) => (
          <li key={index}>
            <select
              aria-label={words.rule.sensor}
              value={rule.sensor_id}
              disabled={isReadOnly}
              onChange={({ currentTarget }) => change(index, { ...rule, sensor_id: currentTarget.value })}
            >
              {choices.map(({ id }) => (
                <option key={id} value={id}>
                  {common.sensors[id] ?? id}
                </option>
              ))}
            </select>
            <select
              aria-label={words.rule.side}
              value={sideOf(rule)}
              disabled={isReadOnly}
              onChange={({ currentTarget }) => change(index, withSide(rule, currentTarget.value))}
            >
              <option value="above">{words.rule.above}</option>
              <option value="below">{words.rule.below}</option>
            </select>
            <input
              type="number"
              step="any"
              required
              aria-label={words.rule.value}
              value={valueOfRule(rule) ?? ''}
              disabled={isReadOnly}
              onInput={({ currentTarget }) => change(index, withValue(rule, currentTarget.valueAsNumber))}
            />
            <select
              aria-label={words.rule.severity}
              value={rule.severity}
              disabled={isReadOnly}
              onChange={({ currentTarget: { value } }) =>
                change(index, {
                  ...rule,
                  severity: ALERT_SEVERITIES.find((one) => one === value) ?? 'warning',
                })
              }
            >
              {ALERT_SEVERITIES.map((severity) => (
                <option key={severity} value={severity}>
                  {common.severities[severity]}
                </option>
              ))}
            </select>
            <input
              type="text"
              maxLength={200}
              aria-label={words.rule.message}
              placeholder={words.rule.message}
              value={rule.message ?? ''}
              disabled={isReadOnly}
              onInput={({ currentTarget: { value } }) => {
                const { message: _, ...rest } = rule;
                change(index, value === '' ? rest : { ...rest, message: value });
              }}
            />
            {!isReadOnly && (
              <Button label={words.rule.removeOf(index + 1)} onPress={() => set(rules.toSpliced(index, 1))}>
                {words.rule.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {!isReadOnly && choices[0] !== undefined && (
        <Button onPress={() => set([...rules, newRule(choices[0]?.id ?? '')])}>{words.rule.add}</Button>
      )}
    </fieldset>
  );
}
