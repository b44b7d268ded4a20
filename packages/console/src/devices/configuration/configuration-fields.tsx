import { FAILSAFE_ACTIONS } from '@granary/contract/configuration/failsafe-actions';
import { Field } from '../../parts/forms/field.tsx';
import { texts } from '../../texts/texts.ts';
import type { ShownSensor } from '../sensors.ts';
import { type Draft, kindOf, RULES } from './draft.ts';
import { fieldName } from './field-names.ts';
import { RulesEditor } from './rules-editor.tsx';

interface Props {
  readonly draft: Draft;
  readonly sensors: readonly ShownSensor[];
  readonly changed: readonly string[];
  readonly faultOf: (path: string) => string | null;
  readonly isReadOnly: boolean;
  readonly onChange: (path: string, text: string) => void;
}

/** A field for each value, by the sections of the configuration. */
export function ConfigurationFields({ draft, sensors, changed, faultOf, isReadOnly, onChange }: Props) {
  const words = texts.value.devices.configuration;
  const paths = [...draft.keys()].filter((path) => path !== RULES);
  const sections = Map.groupBy(paths, (path) => path.split('.')[0] ?? '');
  return (
    <>
      <div class="device-configuration-sections">
        {[...sections].map(([section, members]) => (
          <fieldset key={section} class="panel">
            <legend>{words.sections[section] ?? section}</legend>
            {members.map((path) => (
              <Field
                key={path}
                label={`${fieldName(path, words)}${changed.includes(path) ? ` ${words.changedMark}` : ''}`}
                fault={faultOf(path)}
              >
                {(id) => (
                  <FieldInput
                    id={id}
                    path={path}
                    text={draft.get(path) ?? ''}
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

interface InputProps {
  readonly id: string;
  readonly path: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (path: string, text: string) => void;
}

function FieldInput({ id, path, text, isReadOnly, onChange }: InputProps) {
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
  return (
    <input
      id={id}
      type={kind === 'time' ? 'datetime-local' : 'number'}
      step={kind === 'time' ? undefined : 'any'}
      value={text}
      disabled={isReadOnly}
      onWheel={({ currentTarget }) => currentTarget.blur()}
      onInput={({ currentTarget }) => onChange(path, currentTarget.value)}
    />
  );
}
