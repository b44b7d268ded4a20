import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { ALERT_SEVERITIES, FAILSAFE_ACTIONS } from '@granary/contract/outline';
import { shownAs } from '../../context/units.ts';
import { Button } from '../../kit/button.tsx';
import { unitSymbol } from '../../kit/format.ts';
import { Field } from '../../kit/inputs.tsx';
import { labelInZone } from '../../kit/moment-input.tsx';
import { NumberBox } from '../../kit/number-input.tsx';
import { meantTime, shownTime } from '../../kit/site-time.ts';
import { TimeBox } from '../../kit/time-input.tsx';
import { nameOfCode, texts } from '../../texts.ts';
import { cablesOf, type ShownSensor } from '../facts/sensors.ts';
import {
  type Draft,
  fieldName,
  kindOf,
  newRule,
  parseRules,
  RULES,
  type RuleLine,
  ruleLines,
  rulesOf,
  sideOf,
  UNIT_OF,
  valueOfRule,
  withSide,
  withValue,
} from './configuration-draft.ts';

/** These sensors are not offered for rules: the level has thresholds of its own. */
const NOT_FOR_RULES: ReadonlySet<string> = new Set(['level']);

/** The prefix of the choice of a whole cable; no id of a sensor begins with it. */
const CABLE = 'cable:';

interface Props {
  readonly draft: Draft;
  /** The time zone in which times are entered. */
  readonly timeZone: string;
  readonly sensors: readonly ShownSensor[];
  readonly changed: readonly string[];
  readonly faultOf: (path: string) => string | null;
  readonly isReadOnly: boolean;
  readonly onChange: (path: string, text: string) => void;
}

/** A field for each value, by the sections of the configuration. */
export function ConfigurationFields(props: Props) {
  const { draft, timeZone, sensors, changed, faultOf, isReadOnly, onChange } = props;
  const words = texts.value.devices.configuration;
  const paths = [...draft.keys()].filter((path) => path !== RULES);
  const sections = Map.groupBy(paths, (path) => path.split('.')[0] ?? '');
  return (
    <>
      <div class="device-configuration-sections">
        {[...sections].map(([section, members]) => (
          <fieldset key={section} class="panel">
            <legend>{nameOfCode(words.sections, section)}</legend>
            {members.map((path) => (
              <Field
                key={path}
                label={`${fieldLabel(path, draft, timeZone)}${changed.includes(path) ? ` ${words.changedMark}` : ''}`}
                fault={faultOf(path)}
              >
                {(id) => (
                  <FieldInput
                    id={id}
                    path={path}
                    text={draft.get(path) ?? ''}
                    timeZone={timeZone}
                    isReadOnly={isReadOnly}
                    onChange={onChange}
                  />
                )}
              </Field>
            ))}
          </fieldset>
        ))}
      </div>
      <RulesEditor
        text={draft.get(RULES) ?? '[]'}
        sensors={sensors}
        fault={faultOf(RULES)}
        isReadOnly={isReadOnly}
        onChange={(text) => onChange(RULES, text)}
      />
    </>
  );
}

/** The label of a field, with its unit, or with the place of its time zone where that differs from the viewer's. */
export function fieldLabel(path: string, draft: Draft, timeZone: string): string {
  const { common, devices } = texts.value;
  const name = fieldName(path, devices.configuration);
  if (kindOf(path) === 'time') return labelInZone(name, draft.get(path) ?? '', timeZone);
  const unit = UNIT_OF[path];
  return unit === undefined ? name : common.inUnit({ name, unit: unitSymbol(shownAs(unit, null).unit) });
}

interface InputProps {
  readonly id: string;
  readonly path: string;
  readonly text: string;
  readonly timeZone: string;
  readonly isReadOnly: boolean;
  readonly onChange: (path: string, text: string) => void;
}

function FieldInput({ id, path, text, timeZone, isReadOnly, onChange }: InputProps) {
  const words = texts.value.devices.configuration;
  const kind = kindOf(path);
  if (kind === 'text') {
    return (
      <select
        id={id}
        value={text}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => onChange(path, currentTarget.value)}
      >
        {FAILSAFE_ACTIONS.map((action) => (
          <option key={action} value={action}>
            {words.failsafeActions[action]}
          </option>
        ))}
      </select>
    );
  }
  const entry = { id, value: text, isDisabled: isReadOnly, onValue: (next: string) => onChange(path, next) };
  return kind === 'time' ? (
    <TimeBox
      {...entry}
      kind="dateTime"
      value={shownTime(text, timeZone)}
      onValue={(next) => onChange(path, meantTime(next, timeZone))}
    />
  ) : (
    <NumberBox {...entry} unit={UNIT_OF[path] ?? ''} min={Number.NEGATIVE_INFINITY} />
  );
}

/** The name of a sensor with the unit in which the value of its rule is entered. */
const withUnit = (name: string, sensor: ShownSensor | undefined): string =>
  sensor === undefined ? name : `${name} (${unitSymbol(shownAs(sensor.unit, null).unit)})`;

interface RulesEditorProps {
  /** The rules as JSON. */
  readonly text: string;
  readonly sensors: readonly ShownSensor[];
  readonly fault: string | null;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
}

function RulesEditor({ text, sensors, fault, isReadOnly, onChange }: RulesEditorProps) {
  const words = texts.value.devices.configuration;
  const lines = ruleLines(parseRules(text), cablesOf(sensors).cables);
  const choices = sensors.filter(({ id }) => !NOT_FOR_RULES.has(id));
  const set = (next: readonly RuleLine[]): void => onChange(JSON.stringify(rulesOf(next)));
  return (
    <fieldset class="panel device-rules">
      <legend>{words.sections['rules']}</legend>
      {lines.length === 0 && <p class="muted">{words.noRules}</p>}
      {fault !== null && (
        <p class="refusal" role="alert">
          {fault}
        </p>
      )}
      {lines.length > 0 && (
        <div class="device-rules-head muted" aria-hidden="true">
          {[
            words.rule.sensor,
            words.rule.side,
            words.rule.value,
            words.rule.severity,
            words.rule.message,
          ].map((head) => (
            <span key={head}>{head}</span>
          ))}
        </div>
      )}
      <ul>
        {lines.map((line, index) => (
          <li key={index}>
            <RuleInputs
              line={line}
              sensors={sensors}
              choices={choices}
              isReadOnly={isReadOnly}
              onChange={(next) => set(lines.with(index, next))}
            />
            {!isReadOnly && (
              <Button
                label={words.rule.removeOf({ number: index + 1 })}
                onPress={() => set(lines.toSpliced(index, 1))}
              >
                {words.rule.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {!isReadOnly && choices[0] !== undefined && (
        <Button onPress={() => set([...lines, { rule: newRule(choices[0]?.id ?? ''), cable: null }])}>
          {words.rule.add}
        </Button>
      )}
    </fieldset>
  );
}

interface RuleInputsProps {
  readonly line: RuleLine;
  readonly sensors: readonly ShownSensor[];
  /** The sensors that can be chosen one by one. */
  readonly choices: readonly ShownSensor[];
  readonly isReadOnly: boolean;
  readonly onChange: (line: RuleLine) => void;
}

function RuleInputs({ line, sensors, choices, isReadOnly, onChange }: RuleInputsProps) {
  const { devices, common } = texts.value;
  const words = devices.configuration.rule;
  const { rule, cable } = line;
  const { cables } = cablesOf(sensors);
  const edit = (next: ThresholdRule): void => onChange({ ...line, rule: next });
  const choose = (value: string): void => {
    const chosen = cables.find(({ prefix }) => `${CABLE}${prefix}` === value) ?? null;
    onChange({ cable: chosen, rule: { ...rule, sensor_id: chosen?.sensors[0]?.id ?? value } });
  };
  return (
    <>
      <select
        aria-label={words.sensor}
        value={cable === null ? rule.sensor_id : `${CABLE}${cable.prefix}`}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {cables.map(({ prefix, sensors: points }) => (
          <option key={prefix} value={`${CABLE}${prefix}`}>
            {withUnit(words.allPoints({ prefix, count: points.length }), points[0])}
          </option>
        ))}
        {choices.map((sensor) => (
          <option key={sensor.id} value={sensor.id}>
            {withUnit(nameOfCode(common.sensors, sensor.id), sensor)}
          </option>
        ))}
      </select>
      <select
        aria-label={words.side}
        value={sideOf(rule)}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => edit(withSide(rule, currentTarget.value))}
      >
        <option value="above">{words.above}</option>
        <option value="below">{words.below}</option>
      </select>
      {/* An empty field leaves the rule as it was, because a rule without a value would be another rule. */}
      <NumberBox
        name={words.value}
        unit={sensors.find(({ id }) => id === rule.sensor_id)?.unit ?? ''}
        min={Number.NEGATIVE_INFINITY}
        isRequired
        isDisabled={isReadOnly}
        tells="taken"
        value={String(valueOfRule(rule) ?? '')}
        onValue={(text) => edit(withValue(rule, Number(text)))}
      />
      <select
        aria-label={words.severity}
        value={rule.severity}
        disabled={isReadOnly}
        onChange={({ currentTarget: { value } }) =>
          edit({ ...rule, severity: ALERT_SEVERITIES.find((severity) => severity === value) ?? 'warning' })
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
        aria-label={words.message}
        title={cable === null ? undefined : words.pointNumber}
        value={rule.message ?? ''}
        disabled={isReadOnly}
        onInput={({ currentTarget: { value } }) => {
          const { message: _, ...rest } = rule;
          edit(value === '' ? rest : { ...rest, message: value });
        }}
      />
    </>
  );
}
